/** The page's two languages: which one is chosen, and its words. */

import { WORDS } from './words.js';

/** @type {Set<() => void>} */
const listeners = new Set();
let current = remembered() ?? (navigator.language.toLowerCase().startsWith('zh') ? 'zh' : 'en');

/** @returns {'en'|'zh'} */
export function language() {
  return /** @type {'en'|'zh'} */ (current);
}

/** @param {string} key @returns {boolean} */
export function has(key) {
  return key in WORDS;
}

/**
 * @param {string} key
 * @param {Object<string, string|number>} [values] fill `{name}`; `n` also picks the plural
 * @returns {string}
 */
export function t(key, values = {}) {
  const entry = WORDS[key][current === 'zh' ? 1 : 0];
  const plain = typeof entry === 'string' ? entry : entry[Number(values.n) === 1 ? 'one' : 'other'];
  return plain.replace(/\{(\w+)\}/g, (whole, name) => {
    const value = values[name] ?? whole;
    return typeof value === 'number' ? formatNumber(value) : value;
  });
}

/** @param {number} value */
export function formatNumber(value) {
  return new Intl.NumberFormat(current === 'zh' ? 'zh-CN' : 'en', { maximumFractionDigits: 1 }).format(value);
}

/** @param {string} chosen remembered in this browser */
export function setLanguage(chosen) {
  current = chosen;
  try {
    localStorage.setItem('deskside.language', chosen);
  } catch {
    // Private windows may refuse storage; the choice then lasts until the page closes.
  }
  translatePage();
  for (const listener of listeners) listener();
}

/** @param {() => void} listener called after each change of language */
export function onLanguage(listener) {
  listeners.add(listener);
}

/** Puts the words into the static parts of index.html. */
export function translatePage() {
  document.documentElement.lang = current === 'zh' ? 'zh-CN' : 'en';
  document.title = t('title');
  for (const node of document.querySelectorAll('[data-t]')) node.textContent = t(node.getAttribute('data-t') ?? '');
  for (const node of document.querySelectorAll('[data-t-label]')) node.setAttribute('aria-label', t(node.getAttribute('data-t-label') ?? ''));
  for (const node of document.querySelectorAll('[data-t-placeholder]')) node.setAttribute('placeholder', t(node.getAttribute('data-t-placeholder') ?? ''));
}

/** @returns {string|null} */
function remembered() {
  try {
    const saved = localStorage.getItem('deskside.language');
    return saved === 'zh' || saved === 'en' ? saved : null;
  } catch {
    return null;
  }
}
