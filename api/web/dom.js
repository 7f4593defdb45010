/**
 * Builds elements from plain values. Text always goes in as text nodes: nothing in this page
 * parses HTML, so a document cannot inject any, nor turn the direction of the text around it.
 * @typedef {Node|string|number|null|undefined|false} Child
 */

/**
 * @param {string} tag
 * @param {Object<string, any>} [props] `class`, `on: {event: handler}`, anything else an
 *   attribute; null, undefined and false are left out.
 * @param {...(Child|Child[])} children
 * @returns {any} the element
 */
export function el(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === 'on') {
      for (const [event, handler] of Object.entries(value)) node.addEventListener(event, handler);
    } else {
      node.setAttribute(name, value === true ? '' : String(value));
    }
  }
  node.append(...nodes(children));
  return node;
}

/** @param {Element} parent @param {...(Child|Child[])} children */
export function fill(parent, ...children) {
  parent.replaceChildren(...nodes(children));
}

/** @param {string} id @returns {any} an element the page cannot do without */
export function byId(id) {
  const node = document.getElementById(id);
  if (!node) throw new Error(`#${id} is missing from index.html`);
  return node;
}

/** With these a name reads backwards: "cod.txt" as "txt.doc". */
const TURNING = /[\u202a-\u202e\u2066-\u2069]/g;

/** @param {(Child|Child[])[]} children @returns {(Node|string)[]} */
function nodes(children) {
  return children
    .flat()
    .filter((child) => child !== null && child !== undefined && child !== false)
    .map((child) => (child instanceof Node ? child : String(child).replace(TURNING, '')));
}
