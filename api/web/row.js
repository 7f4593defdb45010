/**
 * One document in the library, in plain words.
 * @typedef {{document_id: string, name: string, path: string, locations?: string[], status: string,
 *   reason: {code: string, message: string, advice: string}|null, pages_total: number,
 *   pages_done: number, flags?: string[], media_type?: string}} Document
 */

import { el } from './dom.js';
import { has, language, t } from './i18n.js';

/**
 * @param {Document} doc
 * @param {{retry: (doc: Document) => void, remove: (doc: Document) => void}} actions
 * @returns {HTMLElement}
 */
export function documentRow(doc, actions) {
  return el('li', { class: 'document', 'data-id': doc.document_id, 'data-status': doc.status },
    el('div', { class: 'document-name' },
      doc.status === 'missing' ? el('span', { class: 'name' }, doc.name) : el('a', {
        class: 'name', href: `/api/documents/${encodeURIComponent(doc.document_id)}/file`,
        target: '_blank', rel: 'noopener',
      }, doc.name),
      el('p', { class: 'faint' }, whereabouts(doc))),
    el('div', { class: 'document-status' }, state(doc), progress(doc)),
    el('div', { class: 'actions' },
      doc.status === 'failed' && action('library.retry', doc, actions.retry),
      action('library.delete', doc, actions.remove)),
    remarks(doc));
}

/** @param {Document} doc */
function whereabouts({ path, locations = [] }) {
  const folders = path.split('/').slice(0, -1);
  const others = locations.filter((location) => location !== path);
  const folder = folders.length ? folders.join(' / ') : t('library.root');
  return others.length ? `${folder} · ${t('library.also', { paths: others.join(', ') })}` : folder;
}

/** @param {Document} doc */
function state({ status }) {
  return el('p', { class: `state ${status}` }, has(`status.${status}`) ? t(`status.${status}`) : status);
}

/** @param {Document} doc */
function progress({ name, status, pages_total: total, pages_done: done, media_type: type = '' }) {
  const unit = unitOf(type);
  // Text without pages counts as one, which nobody wants to read.
  if (!total || (total === 1 && unit === 'text')) return null;
  const key = unit === 'text' ? 'pages' : unit;
  const working = status === 'reading' || status === 'embedding';
  return [
    working && el('progress', { value: done, max: total, 'aria-label': t('library.progress', { name }) }),
    el('p', { class: 'faint' }, done < total
      ? t(`library.${key}Done`, { done, n: total }) : t(`library.${key}`, { n: total })),
  ];
}

/** @param {string} type @returns {'pages'|'sheets'|'slides'|'text'} what the file is made of */
function unitOf(type) {
  if (/spreadsheet|excel|csv/.test(type)) return 'sheets';
  if (/presentation|powerpoint/.test(type)) return 'slides';
  return /^text\/|word/.test(type) ? 'text' : 'pages';
}

/** @param {string} key @param {Document} doc @param {(doc: Document) => void} act */
function action(key, doc, act) {
  // The visible word alone would be the same in every row.
  return el('button', {
    type: 'button', class: 'quiet', 'data-action': key,
    'aria-label': t('library.actOn', { action: t(key), name: doc.name }),
    on: { click: () => act(doc) },
  }, t(key));
}

/** @param {Document} doc */
function remarks({ reason, flags = [] }) {
  const known = flags.filter((flag) => has(`flag.${flag}`)).map((flag) => t(`flag.${flag}`));
  if (!reason && !known.length) return null;
  return el('div', { class: 'remarks' },
    reason && why(reason),
    known.length > 0 && el('p', { class: 'faint' }, known.join(' · ')));
}

/**
 * The server's own words where they are in the reader's language, ours by code where not, with
 * the server's below them: they may name the pages.
 * @param {{code: string, message: string, advice: string}} reason
 */
function why({ code, message, advice }) {
  const chinese = /\p{Script=Han}/u.test(`${message}${advice}`);
  if (chinese === (language() === 'zh') || !has(`reason.${code}`)) {
    return el('p', { class: 'reason' }, el('strong', {}, message), ' ', advice);
  }
  return [
    el('p', { class: 'reason' }, el('strong', {}, t(`reason.${code}`)), ' ', t(`advice.${code}`)),
    message && el('p', { class: 'faint', lang: chinese ? 'zh-CN' : 'en' }, message),
  ];
}
