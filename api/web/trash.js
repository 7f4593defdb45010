/** What was deleted here: when, and the ways back or out for good. */

import { el } from './dom.js';
import { callJson } from './http.js';
import { t } from './i18n.js';
import { size, when } from './measure.js';
import { action } from './row.js';

/** @returns {Promise<import('./row.js').Document[]>} the latest first */
export async function trashed() {
  return (await callJson('/api/trash', { quiet: true })).documents;
}

/**
 * @param {import('./row.js').Document[]} documents
 * @param {{restore: import('./row.js').Act, purge: import('./row.js').Act}} actions
 * @returns {Node[]}
 */
export function trashList(documents, actions) {
  if (!documents.length) {
    return [el('div', { class: 'empty' }, el('h3', {}, t('trash.empty')), el('p', {}, t('trash.text')))];
  }
  return [
    el('p', { class: 'faint' }, t('trash.text')),
    el('ul', { class: 'documents' }, documents.map((doc) => el('li', { class: 'document', 'data-id': doc.document_id },
      el('div', { class: 'document-name' },
        el('span', { class: 'name' }, doc.name), el('p', { class: 'faint' }, doc.path)),
      el('div', { class: 'document-status faint' },
        el('p', {}, t('trash.when', { when: when(doc.updated_at) })), el('p', {}, size(doc.size_bytes))),
      el('div', { class: 'actions' },
        action('trash.restore', doc, actions.restore),
        action('trash.purge', doc, actions.purge, { class: 'quiet bad' }))))),
  ];
}
