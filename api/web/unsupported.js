/**
 * Finds the unsupported sentences of an answer in its rendered text and marks them. Sentences
 * are compared by letters and digits only, so markup between them does not matter.
 */

import { el } from './dom.js';
import { t } from './i18n.js';

const LETTER = /[\p{L}\p{N}]/u;
const MARKER = /[[【［]\s*\d{1,3}(?:\s*[,，、]\s*\d{1,3})*\s*[\]】］]/g;
const LIST_MARK = /^\s*(?:[-*•+]|\d{1,3}[.)、])(?:\s+|$)/;

/**
 * @param {string} text a sentence as the server cut it
 * @returns {string} its letters and digits; empty for what claims nothing (a list number, a
 *   table rule)
 */
export function claimOf(text) {
  return lettersIn(text.replace(LIST_MARK, '').replace(MARKER, ''));
}

/**
 * @param {Element} body the rendered answer
 * @param {{text: string, supported: boolean}[]} sentences in order
 */
export function markUnsupported(body, sentences) {
  const { letters, places } = lettersOf(body);
  let from = 0;
  /** @type {{start: number, end: number}[]} */
  const ranges = [];
  for (const sentence of sentences) {
    const wanted = claimOf(sentence.text);
    const start = wanted ? letters.indexOf(wanted, from) : -1;
    if (start < 0) continue;
    from = start + wanted.length;
    if (!sentence.supported) ranges.push({ start, end: from });
  }
  // From the end, so that splitting a text node leaves earlier places as they were.
  for (const { start, end } of ranges.reverse()) mark(places.slice(start, end));
}

/** @param {Element} body */
function lettersOf(body) {
  const walker = document.createTreeWalker(body, NodeFilter.SHOW_TEXT);
  /** @type {{node: Text, offset: number, size: number}[]} */
  const places = [];
  let letters = '';
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (node.parentElement?.closest('.chip')) continue;
    let offset = 0;
    for (const character of node.nodeValue ?? '') {
      if (LETTER.test(character)) {
        // One entry per UTF-16 unit, so that places and string positions agree.
        for (let unit = 0; unit < character.length; unit += 1) {
          places.push({ node: /** @type {Text} */ (node), offset, size: character.length });
        }
        letters += character;
      }
      offset += character.length;
    }
  }
  return { letters, places };
}

/** @param {string} text */
function lettersIn(text) {
  return [...text].filter((character) => LETTER.test(character)).join('');
}

/** @param {{node: Text, offset: number, size: number}[]} places */
function mark(places) {
  /** @type {Map<Text, {first: number, last: number}>} */
  const spans = new Map();
  for (const { node, offset, size } of places) {
    const span = spans.get(node);
    spans.set(node, { first: span?.first ?? offset, last: offset + size });
  }
  let last = null;
  for (const [node, span] of spans) last = wrap(node, span);
  last?.after(el('span', { class: 'unsupported-note' }, `⚠ ${t('answer.unsupported')}`));
}

/** @param {Text} node @param {{first: number, last: number}} span */
function wrap(node, { first, last }) {
  const middle = node.splitText(first);
  const rest = middle.splitText(last - first);
  // The full stop belongs to the sentence.
  const stop = /^[^\p{L}\p{N}\s]+/u.exec(rest.data)?.[0] ?? '';
  rest.data = rest.data.slice(stop.length);
  middle.data += stop;
  const wrapper = el('span', { class: 'unsupported' });
  middle.replaceWith(wrapper);
  wrapper.append(middle);
  return wrapper;
}
