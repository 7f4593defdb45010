/** What the watched folder is doing, in plain words. */

import { el } from './dom.js';
import { formatNumber, has, language, t } from './i18n.js';
import { duration } from './measure.js';

/** @typedef {{code: string, path: string, message: string, advice: string}} Problem */
/**
 * @typedef {{path: string, mode: string, state: string, queued: number, pages_per_s?: number|null,
 *   eta_s: number|null, held?: number, held_back?: number, problems?: Problem[]}} Inbox
 */

/** The list is drawn anew while people read it. */
let unfolded = false;

/**
 * @param {Inbox} inbox
 * @param {() => void} acceptDeletions
 * @returns {(Node|false)[]}
 */
export function inboxLines(inbox, acceptDeletions) {
  return [
    alarm(inbox, acceptDeletions),
    el('p', { class: 'watched' },
      el('span', { class: 'faint' }, t('inbox.path')), ' ', el('code', {}, inbox.path)),
    el('p', { class: 'faint' }, activity(inbox).join(' · ')),
    otherProblems(inbox),
  ];
}

/**
 * One alarm at a time: files that are not there and a folder that is not there are one trouble,
 * and two notes about it contradict each other.
 * @param {Inbox} inbox @param {() => void} acceptDeletions
 */
function alarm({ state, held_back: vanished = 0 }, acceptDeletions) {
  if (vanished) {
    return el('div', { class: 'note warn' },
      el('p', {}, t('inbox.heldBack', { n: vanished })),
      el('p', {}, t('inbox.heldBackAdvice')),
      el('button', { type: 'button', on: { click: acceptDeletions } }, t('inbox.accept')));
  }
  return state === 'unreachable' && el('p', { class: 'note problem' }, t('inbox.unreachable'));
}

/** @param {Inbox} inbox @returns {string[]} */
function activity({ mode, state, queued, pages_per_s: rate, eta_s: eta, held = 0, held_back: vanished }) {
  const facts = [];
  if (state !== 'unreachable' || vanished) facts.push(t(mode === 'polling' ? 'inbox.polling' : 'inbox.native'));
  if (queued) facts.push(t('inbox.queued', { n: queued }));
  if (queued && rate) facts.push(t('inbox.rate', { rate: formatNumber(rate) }));
  if (queued && eta) facts.push(t('inbox.eta', { time: duration(eta) }));
  if (held) facts.push(t('inbox.held', { n: held }));
  return facts;
}

/** @param {Inbox} inbox what else is not read; the root itself has its own alarm */
function otherProblems({ problems = [], state }) {
  const told = problems.filter(({ code }) => code !== 'root' || state !== 'unreachable');
  if (!told.length) return false;
  return el('details', { open: unfolded, on: { toggle: (event) => { unfolded = event.target.open; } } },
    el('summary', {}, t('inbox.problems', { n: told.length })),
    el('ul', {}, told.map(problemLine)));
}

/** @param {Problem} problem */
function problemLine({ code, path, message, advice }) {
  const translated = language() === 'zh' && has(`problem.inbox.${code}`);
  return el('li', {}, path && el('code', {}, path), path && ' ',
    translated ? t(`problem.inbox.${code}`) : `${message} ${advice}`);
}
