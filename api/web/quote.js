/** Marks the quoted words inside a passage. */

import { el } from './dom.js';

/**
 * @param {string} text
 * @param {string} quote
 * @returns {(Node|string)[]} the passage with the quote in `<mark>`; unmarked when it is not
 *   there, since a wrong highlight is worse than none
 */
export function markQuote(text, quote) {
  const found = find(text, quote);
  if (!found) return [text];
  return [
    text.slice(0, found.start),
    el('mark', {}, text.slice(found.start, found.end)),
    text.slice(found.end),
  ];
}

/** @param {string} text @param {string} quote */
function find(text, quote) {
  if (!quote.trim()) return null;
  const start = text.indexOf(quote);
  if (start >= 0) return { start, end: start + quote.length };
  // Line breaks and blanks may differ; the words may not.
  const pattern = [...quote.replace(/\s+/g, '')].map((c) => c.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')).join('\\s*');
  const match = new RegExp(pattern, 'u').exec(text);
  return match ? { start: match.index, end: match.index + match[0].length } : null;
}
