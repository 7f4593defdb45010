/**
 * A small Markdown, built from DOM nodes only: paragraphs, headings, lists, tables, bold, code.
 * Links and images stay text on purpose; a document must not be able to lead anyone anywhere.
 * @typedef {(number: number) => Node|null} Marker makes the chip of a citation, null for none
 */

import { el } from './dom.js';

const ITEM = /^(\s*)(?:[-*•+]|(\d{1,3})[.)、])\s+(.*)$/;
const RULE = /^\s*\|?\s*:?-{2,}:?\s*(\|\s*:?-{2,}:?\s*)*\|?\s*$/;
const FENCE = /^\s*(```|~~~)/;
const HEADING = /^\s{0,3}#{1,6}\s+(.*?)\s*#*$/;
const FIGURE = /^([-−+(]?\s*[¥￥$€£]?\s*[\d,.]+\s*[%元)]?)?(\s*[[【［]\d+[\]】］])*$/;
// Code, bold, line break, or a citation in any spelling a Chinese model emits: [1] 【1】 ［1, 2］.
const INLINE = /`([^`]+)`|\*\*(\S.*?)\*\*|<br\s*\/?>|[[【［]\s*(\d{1,3}(?:\s*[,，、]\s*\d{1,3})*)\s*[\]】］]/g;

/**
 * @param {string} text
 * @param {Marker} marker
 * @returns {DocumentFragment}
 */
export function renderMarkdown(text, marker) {
  const out = document.createDocumentFragment();
  const lines = text.replace(/\r\n?/g, '\n').split('\n');
  let at = 0;
  while (at < lines.length) {
    const block = blockAt(lines, at, marker);
    if (block.node) out.append(block.node);
    at = block.next;
  }
  return out;
}

/** @param {string[]} lines @param {number} at @param {Marker} marker */
function blockAt(lines, at, marker) {
  const line = lines[at];
  if (!line.trim()) return { node: null, next: at + 1 };
  if (FENCE.test(line)) return fenced(lines, at);
  const heading = HEADING.exec(line);
  if (heading) return { node: el('h3', {}, inline(heading[1], marker)), next: at + 1 };
  if (isTable(lines, at)) return table(lines, at, marker);
  if (ITEM.test(line)) return list(lines, at, marker);
  return paragraph(lines, at, marker);
}

/** @param {string[]} lines @param {number} at */
function fenced(lines, at) {
  let end = at + 1;
  while (end < lines.length && !FENCE.test(lines[end])) end += 1;
  const code = el('code', {}, lines.slice(at + 1, end).join('\n'));
  return { node: el('pre', { tabindex: '0' }, code), next: end + 1 };
}

/** @param {string[]} lines @param {number} at @param {Marker} marker */
function paragraph(lines, at, marker) {
  let end = at + 1;
  while (end < lines.length && lines[end].trim() && !startsBlock(lines, end)) end += 1;
  const node = el('p');
  lines.slice(at, end).forEach((line, index) => {
    if (index) node.append(el('br'));
    node.append(...inline(line.trim(), marker));
  });
  return { node, next: end };
}

/** @param {string[]} lines @param {number} at */
function startsBlock(lines, at) {
  const line = lines[at];
  return FENCE.test(line) || HEADING.test(line) || ITEM.test(line) || isTable(lines, at);
}

/** @param {string[]} lines @param {number} at @param {Marker} marker */
function list(lines, at, marker) {
  const first = /** @type {RegExpExecArray} */ (ITEM.exec(lines[at]));
  const indent = first[1].length;
  const node = first[2] ? el('ol', { start: first[2] === '1' ? null : first[2] }) : el('ul');
  let next = at;
  while (next < lines.length) {
    const item = ITEM.exec(lines[next]);
    if (item && item[1].length <= indent) {
      if (item[1].length < indent || Boolean(item[2]) !== Boolean(first[2])) break;
      node.append(el('li', {}, inline(item[3], marker)));
      next += 1;
    } else if (item) {
      const nested = list(lines, next, marker);
      node.lastChild.append(nested.node);
      next = nested.next;
    } else if (lines[next].trim() && /^\s{2,}/.test(lines[next]) && !startsBlock(lines, next)) {
      node.lastChild.append(el('br'), ...inline(lines[next].trim(), marker));
      next += 1;
    } else if (!lines[next].trim() && ITEM.test(lines[next + 1] ?? '')) {
      next += 1; // a blank line between items does not end the list
    } else break;
  }
  return { node, next };
}

/** @param {string[]} lines @param {number} at */
function isTable(lines, at) {
  return lines[at].includes('|') && RULE.test(lines[at + 1] ?? '') && lines[at + 1].includes('-');
}

/** @param {string[]} lines @param {number} at @param {Marker} marker */
function table(lines, at, marker) {
  let next = at + 2;
  while (next < lines.length && lines[next].includes('|')) next += 1;
  const head = cells(lines[at]);
  const rows = lines.slice(at + 2, next).map(cells);
  // Amounts line up on the right, whatever the model wrote into the rule.
  const column = head.map((_, index) => (rows.every((row) => FIGURE.test(row[index] ?? '')) ? 'figure' : null));
  const header = el('tr', {}, head.map((cell, index) => (
    el('th', { scope: 'col', class: column[index] }, inline(cell, marker)))));
  const body = rows.map((row) => el('tr', {}, head.map((_, index) => (
    el('td', { class: column[index] }, inline(row[index] ?? '', marker))))));
  // Wide tables scroll by themselves, reachable by keyboard, so that the page never does.
  const node = el('div', { class: 'table', tabindex: '0' },
    el('table', {}, el('thead', {}, header), el('tbody', {}, body)));
  return { node, next };
}

/** @param {string} line */
function cells(line) {
  return line.trim().replace(/^\||(?<!\\)\|$/g, '').split(/(?<!\\)\|/).map((cell) => cell.trim().replace(/\\\|/g, '|'));
}

/** @param {string} text @param {Marker} marker @returns {(Node|string)[]} */
function inline(text, marker) {
  /** @type {(Node|string)[]} */
  const out = [];
  let from = 0;
  for (const match of text.matchAll(INLINE)) {
    out.push(text.slice(from, match.index));
    from = match.index + match[0].length;
    if (match[1]) out.push(el('code', {}, match[1]));
    else if (match[2]) out.push(el('strong', {}, inline(match[2], marker)));
    else if (match[3]) glue(out, chips(match[0], match[3], marker));
    else out.push(el('br'));
  }
  out.push(text.slice(from));
  return out.filter((part) => part !== '');
}

/**
 * Puts chips behind the words they stand for. A button may start the next line whatever stands
 * before it, so the last character and the chips are held together.
 * @param {(Node|string)[]} out
 * @param {(Node|string)[]} added
 */
function glue(out, added) {
  const before = out.at(-1);
  if (typeof before === 'string' && before.trim() && typeof added[0] !== 'string') {
    const characters = [...before.trimEnd()];
    const last = characters.pop();
    out[out.length - 1] = characters.join('');
    out.push(el('span', { class: 'held' }, last, added));
  } else if (before === '' && out.at(-2) instanceof Element && out.at(-2).matches('.held')) {
    out.at(-2).append(...added);
  } else out.push(...added);
}

/** @param {string} written @param {string} numbers @param {Marker} marker */
function chips(written, numbers, marker) {
  const made = numbers.split(/[,，、]/).map((number) => marker(Number(number)));
  // "[2024]" and the like are the document's own words, not ours.
  return made.every((chip) => chip !== null) ? made : [written];
}
