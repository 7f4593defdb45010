/** A question that must be answered before something is taken away. */

import { el } from './dom.js';
import { t } from './i18n.js';

/**
 * @param {{title: string, text: string, yes: string}} words
 * @returns {Promise<boolean>}
 */
export function confirmWith({ title, text, yes }) {
  return new Promise((resolve) => {
    const form = el('form', { method: 'dialog' },
      el('h2', { id: 'confirm-title' }, title),
      el('p', {}, text),
      // The harmless answer comes first, so that Enter on an unread dialog takes nothing away.
      el('div', { class: 'actions' },
        el('button', { value: 'no' }, t('cancel')),
        el('button', { value: 'yes', class: 'danger' }, yes)));
    const dialog = el('dialog', { 'aria-labelledby': 'confirm-title' }, form);
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(dialog.returnValue === 'yes');
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}
