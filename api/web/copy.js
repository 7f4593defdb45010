/** An answer as plain text with its numbered sources, for a letter or a note. */

import { el, fill } from './dom.js';
import { icon } from './icons.js';
import { t } from './i18n.js';
import { placeOf } from './places.js';
import { claimOf } from './unsupported.js';

/** How long the button says that it is done. */
const SAID_MS = 2000;

/** @param {import('./answer.js').Answer} answer @param {string} question */
export function copyButton(answer, question) {
  const said = el('span', { 'aria-live': 'polite' }, t('answer.copy'));
  const sign = el('span', {}, icon('copy'));
  return el('button', {
    type: 'button', class: 'quiet copy', on: {
      click: async () => {
        const done = await copy(asText(answer, question));
        said.textContent = t(done ? 'answer.copied' : 'answer.notCopied');
        if (done) fill(sign, icon('done'));
        setTimeout(() => { said.textContent = t('answer.copy'); fill(sign, icon('copy')); }, SAID_MS);
      },
    },
  }, sign, said);
}

/** @param {import('./answer.js').Answer} answer @param {string} question */
export function asText({ answer, mode, citations, hits, sentences = [] }, question) {
  const written = mode !== 'refused' && mode !== 'no_model';
  const doubted = written ? sentences.filter(({ supported, text }) => !supported && claimOf(text)) : [];
  const sources = written
    ? citations.map((each) => `[${each.marker}] ${whence(each)}\n    “${oneLine(each.quote)}”`)
    : hits.map((each) => `- ${whence(each)}\n    “${oneLine(each.text)}”`);
  const heading = written ? 'answer.sources' : mode === 'refused' ? 'answer.closest' : 'answer.passages';
  return [
    question,
    written ? answer.replace(/\*\*/g, '') : t(`answer.${mode}`),
    doubted.length && [`${t('answer.unsupported')}:`, ...doubted.map(({ text }) => `⚠ ${oneLine(text)}`)].join('\n'),
    sources.length && [`${t(heading)}:`, ...sources].join('\n'),
  ].filter(Boolean).join('\n\n');
}

/** @param {import('./cite.js').Citation|import('./cite.js').Hit} source */
function whence({ path, locator }) {
  return [path, placeOf(locator)].filter(Boolean).join(', ');
}

/** @param {string} text */
function oneLine(text) {
  return text.replace(/\s+/g, ' ').trim();
}

/** @param {string} text @returns {Promise<boolean>} */
async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyTheOldWay(text); // over plain http from another computer there is no clipboard
  }
}

/** @param {string} text */
function copyTheOldWay(text) {
  const box = el('textarea', { class: 'unseen', 'aria-hidden': 'true' });
  const focused = /** @type {HTMLElement|null} */ (document.activeElement);
  box.value = text;
  document.body.append(box);
  box.select();
  const done = document.execCommand('copy');
  box.remove();
  focused?.focus();
  return done;
}
