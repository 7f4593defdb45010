/** The drawn signs of icons.svg; always beside a word or a label, never alone in meaning. */

const SVG = 'http://www.w3.org/2000/svg';

/** @param {string} name @returns {SVGElement} */
export function icon(name) {
  const node = document.createElementNS(SVG, 'svg');
  node.setAttribute('class', 'icon');
  node.setAttribute('aria-hidden', 'true');
  const use = document.createElementNS(SVG, 'use');
  use.setAttribute('href', `/web/icons.svg#${name}`);
  node.append(use);
  return node;
}
