/** What went wrong, in the reader's language; the server's own words kept for whoever helps. */

import { el } from './dom.js';
import { has, language, t } from './i18n.js';
import { askForKey } from './key.js';

/**
 * @param {any} problem a `Problem`, or anything else that was thrown
 * @returns {{title: string, advice: string, detail: string}} plain words, what to do, and the
 *   server's words where they are in another language (else they are the advice, or in it)
 */
export function problemWords({ code = 'internal', detail = '', hint = '' }) {
  const known = has(`problem.${code}`) ? code : 'internal';
  const title = t(`problem.${known}`);
  const said = [detail, hint].filter((text) => text && text !== title).join(' ');
  if (known === 'unauthorized') return { title, advice: t('key.text'), detail: '' };
  if (language() === 'en' || inChinese(said)) return { title, advice: said, detail: '' };
  return { title, advice: has(`fix.${known}`) ? t(`fix.${known}`) : '', detail: said };
}

/** Names of files in it may be Chinese, whatever the sentence is. @param {string} text */
export function inChinese(text) {
  return /[。！？]/.test(text);
}

/** @param {any} problem @returns {Node[]} */
export function problemNodes(problem) {
  const { title, advice, detail } = problemWords(problem);
  return [
    el('p', {}, el('strong', {}, title), advice && ` ${advice}`),
    detail && el('details', { class: 'foreign' },
      el('summary', {}, t('problem.detail')), el('p', { lang: 'en' }, detail)),
    problem.code === 'unauthorized' && el('p', {}, el('button', { type: 'button', on: { click: askForKey } }, t('key.enter'))),
  ].filter(Boolean);
}
