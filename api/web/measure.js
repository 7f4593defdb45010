/** Sizes, times and dates as people read them. */

import { formatNumber, language, t } from './i18n.js';

const UNITS = ['B', 'KB', 'MB', 'GB', 'TB'];

/** @param {number} bytes */
export function size(bytes) {
  const power = Math.min(Math.floor(Math.log2(Math.max(bytes, 1)) / 10), UNITS.length - 1);
  const value = bytes / 1024 ** power;
  return `${formatNumber(value < 10 && power > 0 ? value : Math.round(value))} ${UNITS[power]}`;
}

/** @param {number} seconds */
export function duration(seconds) {
  if (seconds < 60) return t('time.seconds', { n: Math.max(1, Math.round(seconds)) });
  if (seconds < 3600) return t('time.minutes', { n: Math.round(seconds / 60) });
  return t('time.hours', { n: formatNumber(seconds / 3600) });
}

/** @param {string} moment ISO 8601 @returns {string} in the reader's own time zone */
export function when(moment) {
  const style = /** @type {const} */ ({ dateStyle: 'medium', timeStyle: 'short' });
  return new Intl.DateTimeFormat(language() === 'zh' ? 'zh-CN' : 'en', style).format(new Date(moment));
}
