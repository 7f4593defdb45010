/** Draws a part of the page again when what it tells has changed, without losing the keyboard's place. */

import { fill } from './dom.js';
import { language } from './i18n.js';

/** @type {WeakMap<Element, string>} */
const drawn = new WeakMap();

/**
 * @param {HTMLElement} node
 * @param {any} told all that the drawing depends on, as plain values
 * @param {() => import('./dom.js').Child|import('./dom.js').Child[]} make
 */
export function redraw(node, told, make) {
  const key = JSON.stringify([language(), told]);
  if (drawn.get(node) === key) return;
  drawn.set(node, key);
  const action = node.contains(document.activeElement)
    ? document.activeElement?.getAttribute('data-action') : null;
  fill(node, make());
  if (action) keepFocus(node, action);
}

/** @param {HTMLElement} node @param {string} action */
function keepFocus(node, action) {
  const same = node.querySelector(`[data-action="${CSS.escape(action)}"]:enabled`);
  /** @type {any} */ (same ?? node.querySelector('button:enabled, a'))?.focus({ preventScroll: true });
}
