/**
 * Where in a document something stands, in the reader's language.
 * @typedef {{label?: string, page?: number|null, page_end?: number|null, page_label?: string|null,
 *   page_source?: string|null, sheet?: string|null, cells?: string|null, slide?: number|null,
 *   section?: string[], boxes?: object[]}} Locator
 */

import { t } from './i18n.js';

/** @param {Locator|null|undefined} locator @returns {string} */
export function placeOf(locator) {
  if (!locator) return '';
  if (locator.sheet) return joined([t('place.sheet', { sheet: locator.sheet }), locator.cells]);
  if (locator.slide) return t('place.slide', { n: locator.slide });
  const section = (locator.section ?? []).join(' › ');
  return joined([pageOf(locator), section]) || locator.label || '';
}

/** @param {Locator|null|undefined} locator true where that page can be drawn */
export function hasPicture(locator) {
  return Boolean(locator?.page) && ['file', 'rendered'].includes(locator?.page_source ?? '');
}

/** The most of a quote that the server looks for. */
const QUOTE_CHARACTERS = 2000;

/** @param {{passage_id?: string, quote?: string}} source @returns {string} the query that marks it in a preview */
export function quoted({ passage_id: passage, quote }) {
  const query = new URLSearchParams();
  if (passage) query.set('passage', passage);
  if (passage && quote) query.set('quote', [...quote].slice(0, QUOTE_CHARACTERS).join(''));
  return query.toString();
}

/** @param {Locator} locator */
function pageOf({ page, page_end: end, page_label: label, page_source: source }) {
  if (!page) return '';
  const span = end && end !== page ? t('place.pages', { from: String(page), to: String(end) }) : t('place.page', { page: String(page) });
  // Word has no fixed pages: a page that we or LibreOffice counted is called approximate.
  const honest = source === 'file' ? span : t('place.about', { page: span });
  return label && label !== String(page) ? honest + t('place.printed', { label }) : honest;
}

/** @param {(string|null|undefined)[]} parts */
function joined(parts) {
  return parts.filter(Boolean).join(' · ');
}
