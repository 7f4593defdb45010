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

/** @param {string} time ISO 8601 @returns {string} today, yesterday, or the date, on this computer's clock */
export function formatDay(time) {
  const locale = current === 'zh' ? 'zh-CN' : 'en';
  const day = new Date(time);
  const today = new Date();
  const ago = Math.round((midnight(day) - midnight(today)) / 86_400_000);
  if (ago >= -1) return new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(Math.min(ago, 0), 'day');
  const year = day.getFullYear() === today.getFullYear() ? undefined : 'numeric';
  return new Intl.DateTimeFormat(locale, { month: 'long', day: 'numeric', year }).format(day);
}

/** @param {string} time ISO 8601 @returns {string} day and minute, on this computer's clock */
export function formatTime(time) {
  const locale = current === 'zh' ? 'zh-CN' : 'en';
  return new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeStyle: 'short' }).format(new Date(time));
}

/** @param {number} bytes @returns {string} in the unit that suits */
export function formatBytes(bytes) {
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  const power = Math.min(Math.floor(Math.log(Math.max(bytes, 1)) / Math.log(1024)), units.length - 1);
  return `${formatNumber(bytes / 1024 ** power)} ${units[power]}`;
}

/** @param {Date} date */
function midnight(date) {
  return new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
}

/** @param {string} chosen remembered in this browser */
export function setLanguage(chosen) {
  try {
    localStorage.setItem('deskside.language', chosen);
  } catch {
    // Private windows may refuse storage; the choice then lasts until the page closes.
  }
  change(chosen);
}

window.addEventListener('storage', () => { change(remembered() ?? current); }); // chosen in another tab

/** @param {string} chosen */
function change(chosen) {
  if (chosen === current) return;
  current = chosen;
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
