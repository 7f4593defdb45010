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
  const focused = document.activeElement;
  const held = node.contains(focused) ? focused?.getAttribute('data-action') : null;
  fill(node, make());
  if (held) keepFocus(node, /** @type {Element} */ (focused), held);
}

/** @param {HTMLElement} node @param {Element} focused may be there still @param {string} action else what does the same */
function keepFocus(node, focused, action) {
  const same = node.contains(focused) ? focused : node.querySelector(`[data-action="${CSS.escape(action)}"]:enabled`);
  /** @type {any} */ (same ?? node.querySelector('button:enabled, a'))?.focus({ preventScroll: true });
}
