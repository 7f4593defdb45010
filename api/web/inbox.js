/** What the watched folder is doing, in plain words. */

import { el } from './dom.js';
import { formatNumber, has, language, t } from './i18n.js';

/** @typedef {{code: string, path: string, message: string, advice: string}} Problem */

/** The list is drawn anew while people read it. */
let unfolded = false;

/**
 * @param {{path: string, mode: string, state: string, queued: number, eta_s: number|null,
 *   held_back?: number, problems?: Problem[]}} inbox
 * @param {() => void} acceptDeletions
 * @returns {(Node|false)[]}
 */
export function inboxLines(inbox, acceptDeletions) {
  const facts = [];
  if (inbox.mode === 'polling') facts.push(t('inbox.polling'));
  if (inbox.queued) facts.push(t('inbox.queued', { n: inbox.queued }));
  if (inbox.eta_s) facts.push(t('inbox.eta', { time: duration(inbox.eta_s) }));
  return [
    inbox.state === 'unreachable' && el('p', { class: 'note problem' }, t('inbox.unreachable')),
    Boolean(inbox.held_back) && el('div', { class: 'note warn' },
      el('p', {}, t('inbox.heldBack', { n: inbox.held_back ?? 0 })),
      el('button', { type: 'button', on: { click: acceptDeletions } }, t('inbox.accept'))),
    el('p', {}, el('span', { class: 'faint' }, t('inbox.path')), ' ', el('code', {}, inbox.path)),
    facts.length > 0 && el('p', { class: 'faint' }, facts.join(' · ')),
    Boolean(inbox.problems?.length) && el('details', { open: unfolded, on: { toggle: (event) => { unfolded = event.target.open; } } },
      el('summary', {}, t('inbox.problems', { n: inbox.problems?.length ?? 0 })),
      el('ul', {}, ...(inbox.problems ?? []).map(problemLine))),
  ];
}

/** @param {Problem} problem */
function problemLine({ code, path, message, advice }) {
  const translated = language() === 'zh' && has(`problem.inbox.${code}`);
  return el('li', {}, path && el('code', {}, path), path && ' ',
    translated ? t(`problem.inbox.${code}`) : `${message} ${advice}`);
}

/** @param {number} seconds */
function duration(seconds) {
  if (seconds < 60) return t('time.seconds', { n: Math.max(1, Math.round(seconds)) });
  if (seconds < 3600) return t('time.minutes', { n: Math.round(seconds / 60) });
  return t('time.hours', { n: formatNumber(seconds / 3600) });
}
