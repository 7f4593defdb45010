/** The form for the access key, shown when the server answers 401. */

import { el } from './dom.js';
import { t } from './i18n.js';

/** Told to the window: what was refused without the key may be read now. */
export const KEY_GIVEN = 'deskside:key';

/** @type {Promise<boolean>|null} several calls may meet a 401 at once: one form serves them all */
let open = null;

/** @returns {Promise<boolean>} true once the server accepted a key, false when given up */
export function askForKey() {
  open ??= showForm().finally(() => { open = null; });
  return open;
}

/** @returns {Promise<boolean>} */
function showForm() {
  return new Promise((resolve) => {
    const input = el('input', {
      id: 'key', class: 'field', type: 'password', autocomplete: 'current-password', required: true,
      'aria-describedby': 'key-wrong',
    });
    const wrong = el('p', { id: 'key-wrong', class: 'note problem', role: 'alert' });
    const form = el('form', { method: 'dialog' },
      el('h2', { id: 'key-title' }, t('key.title')),
      el('p', {}, t('key.text')),
      el('label', { for: 'key' }, t('key.label')),
      input, wrong,
      el('div', { class: 'actions' },
        el('button', { type: 'button', class: 'quiet', on: { click: () => dialog.close() } }, t('cancel')),
        el('button', { type: 'submit', class: 'primary' }, t('key.send'))));
    const dialog = el('dialog', { 'aria-labelledby': 'key-title' }, form);
    let accepted = false;
    form.addEventListener('submit', async (/** @type {Event} */ event) => {
      event.preventDefault();
      const outcome = await offer(input.value);
      accepted = outcome === 'accepted';
      if (accepted) {
        dialog.close();
        window.dispatchEvent(new Event(KEY_GIVEN));
      }
      else wrong.textContent = t(outcome === 'refused' ? 'key.wrong' : 'problem.unreachable');
    });
    dialog.addEventListener('close', () => { dialog.remove(); resolve(accepted); });
    document.body.append(dialog);
    dialog.showModal();
  });
}

/** @param {string} key @returns {Promise<'accepted'|'refused'|'unreachable'>} */
async function offer(key) {
  try {
    const response = await fetch('/api/session', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ key }),
    });
    return response.ok ? 'accepted' : 'refused';
  } catch {
    return 'unreachable';
  }
}
