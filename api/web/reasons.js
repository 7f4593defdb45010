/** Why a document is not read, or not all of it, in the reader's language. */

import { el } from './dom.js';
import { has, language, t } from './i18n.js';
import { inChinese } from './problems.js';

const ARCHIVE = /\.(zip|rar|7z|tar|t?gz|bz2|xz)$/i;
/** As `ingest/failures.py` names pages: "Not read: page 1-3, 7; …". */
const PAGES = /^Not read: page ([\d, -]+);/;

/**
 * The server's own words where they are in the reader's language, ours by code where not, with
 * the server's folded away below them: they may tell more.
 * @param {{code: string, message: string, advice: string}} reason
 * @param {string} name the file's
 * @returns {(Node|false|string)[]}
 */
export function why(reason, name) {
  const { code, message, advice } = reason;
  const chinese = inChinese(`${message}${advice}`);
  if (chinese === (language() === 'zh') || !has(`reason.${code}`)) {
    return [el('p', { class: 'reason' }, el('strong', {}, message), ' ', advice)];
  }
  const kind = kindOf(code, message, name);
  const pages = PAGES.exec(message)?.[1];
  const what = pages ? t('reason.pages', { pages }) : t(`reason.${kind}`);
  return [
    el('p', { class: 'reason' }, el('strong', {}, what), ' ', t(`advice.${has(`advice.${kind}`) ? kind : code}`)),
    Boolean(message) && el('details', { class: 'faint' },
      el('summary', {}, t('library.original')),
      el('p', { lang: chinese ? 'zh-CN' : 'en' }, `${message} ${advice}`)),
  ];
}

/** @param {string} code @param {string} message @param {string} name */
function kindOf(code, message, name) {
  if (code === 'unsupported' && ARCHIVE.test(name)) return 'archive';
  if (code !== 'corrupt') return code;
  if (message.includes('(0 bytes)')) return 'empty';
  return message.includes('whatever its name says') ? 'misnamed' : code;
}

/** @param {string[]} flags @returns {string[]} in words; one without any as it is */
export function flagWords(flags) {
  return flags.map((flag) => (has(`flag.${flag}`) ? t(`flag.${flag}`) : flag.replaceAll('_', ' ')));
}

/** @param {string} status */
export function statusWords(status) {
  return has(`status.${status}`) ? t(`status.${status}`) : status;
}
