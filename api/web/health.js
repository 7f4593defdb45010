/**
 * How Deskside does, in plain words: what needs attention and how to mend it, what has left this
 * computer, the model and its measured speed, room and size.
 * @typedef {{name: string, status: 'ok'|'warn'|'fail', detail: string, fix: string}} Check
 */

import { byId, el, fill } from './dom.js';
import { callJson } from './http.js';
import { formatBytes, formatTime, has, language, onLanguage, t } from './i18n.js';
import { problemNodes } from './problems.js';

/** Only for those who work on Deskside; nobody else misses it. */
const NOT_FOR_PEOPLE = new Set(['browser']);
const SIGNS = { ok: '✓', warn: '!', fail: '✕' };

export class Health {
  /** @type {Check[]|null} */
  #checks = null;
  /** @type {any} */
  #system = null;
  /** @type {any} */
  #problem = null;
  #shown = false;

  constructor() {
    onLanguage(() => { if (this.#shown) this.#draw(); });
  }

  /** @param {boolean} shown */
  set shown(shown) {
    this.#shown = shown;
    if (shown) this.#refresh();
  }

  async #refresh() {
    this.#draw();
    try {
      this.#checks = await readiness();
      this.#problem = null;
      this.#system = await callJson('/api/system');
    } catch (error) {
      this.#problem = error;
    }
    this.#draw();
  }

  #draw() {
    const checks = this.#checks?.filter(({ name }) => !NOT_FOR_PEOPLE.has(name));
    fill(byId('health'),
      el('div', { class: 'shelf-head' }, el('h2', {}, t('health.title')),
        el('button', { type: 'button', on: { click: () => this.#refresh() } }, t('health.again'))),
      this.#problem && el('div', { class: 'note problem', role: 'alert' }, problemNodes(this.#problem)),
      checks && checksCard(checks),
      this.#system && [networkCard(this.#system), modelCard(this.#system), roomCard(this.#system)],
      !checks && !this.#problem && el('p', { class: 'faint' }, t('library.loading')));
  }
}

/** The doctor answers 503 when something fails: that is an answer, not a failure to ask. */
async function readiness() {
  const { checks } = await callJson('/health/ready', { accept: [503] });
  return checks;
}

/** @param {Check[]} checks */
function checksCard(checks) {
  const amiss = checks.filter(({ status }) => status !== 'ok').length;
  const worst = checks.some(({ status }) => status === 'fail') ? 'fail' : amiss ? 'warn' : 'ok';
  const title = { fail: 'health.amiss', warn: 'health.limited', ok: 'health.well' }[worst];
  return card(t(title, { n: amiss }), `verdict ${worst}`,
    el('ul', { class: 'checks' }, inOrder(checks).map(checkLine)));
}

/** What needs attention first. @param {Check[]} checks */
function inOrder(checks) {
  const order = ['fail', 'warn', 'ok'];
  return [...checks].sort((a, b) => order.indexOf(a.status) - order.indexOf(b.status));
}

/** @param {Check} check */
function checkLine({ name, status, detail, fix }) {
  const { said, mend, foreign } = checkWords(name, status, detail, fix);
  return el('li', { class: `check ${status}` },
    el('span', { class: 'sign', 'aria-hidden': 'true' }, SIGNS[status]),
    el('div', {},
      el('p', {}, el('strong', {}, has(`check.${name}`) ? t(`check.${name}`) : name),
        el('span', { class: 'unseen' }, ` ${t(`health.${status}`)}`), ' ', said),
      mend && el('p', { class: 'mend' }, mend),
      foreign && el('details', { class: 'foreign' },
        el('summary', {}, t('problem.detail')), el('p', { lang: 'en' }, foreign))));
}

/** Names of models, sizes and folders need no translation. */
const SAME_EVERYWHERE = new Set(['model', 'embedder', 'inbox']);

/** @param {string} name @param {Check['status']} status @param {string} detail @param {string} fix */
function checkWords(name, status, detail, fix) {
  if (language() !== 'zh') return { said: detail, mend: fix, foreign: '' };
  if (status === 'ok') {
    const size = /^[\d.]+ (GiB|passages)/.exec(detail)?.[0].replace('passages', t('health.passages'));
    if (detail.startsWith('not measured')) return { said: t('check.tuning.ok'), mend: '', foreign: '' };
    return { said: (SAME_EVERYWHERE.has(name) ? detail : size) || t('health.ok'), mend: '', foreign: '' };
  }
  const known = [`check.${name}.${status}`, `check.${name}.amiss`].find(has);
  const mend = [`mend.${name}.${status}`, `mend.${name}`].find(has);
  return { said: known ? t(known) : t('health.amissHere'), mend: mend ? t(mend) : '', foreign: [detail, fix].filter(Boolean).join(' ') };
}

/** @param {any} system */
function networkCard({ network, settings }) {
  const { outbound_attempts: attempts, since, watched = [], opt_outs: optOuts = [] } = network;
  const local = ['127.0.0.1', 'localhost', '::1'].includes(settings.host);
  const title = attempts ? t('network.refused', { n: attempts }) : t(since ? 'network.none' : 'network.unwatched');
  return card(title, `verdict ${attempts || !since ? 'warn' : 'ok'}`,
    el('ul', { class: 'evidence' },
      since && el('li', {}, t('network.since', { since: formatTime(since), what: watched.map((/** @type {string} */ one) => t(`network.${one}`)).join(t('list.comma')), n: attempts })),
      el('li', {}, t(local ? 'network.local' : 'network.shared', { host: settings.host })),
      el('li', {}, t('network.page')),
      el('li', {}, t('network.optOuts', { n: optOuts.length }), ' ', el('span', { class: 'faint' }, optOuts.join(', '))),
      el('li', {}, t('network.limits'))));
}

/** @param {any} system */
function modelCard({ model, offload, settings, speed, version }) {
  const auto = t('health.auto');
  const layers = offload?.gpu_layers ?? settings.gpu_layers;
  return card(t('model.title'), '', facts([
    ['model.name', model ?? t('model.none')],
    ['model.speed', speed ? t('model.measured', { rate: speed.tokens_per_s, seconds: speed.first_token_ms / 1000, n: speed.answers }) : t('model.unmeasured')],
    ['model.layers', layers === 'auto' ? auto : layers || t('model.noLayers')],
    ['model.threads', offload?.threads ?? settings.threads ?? auto],
    ['model.context', t('model.tokens', { n: offload?.context_tokens ?? settings.context_tokens })],
    ['model.answer', t('model.tokens', { n: settings.answer_tokens })],
    ['model.passages', settings.top_k],
    ['model.version', version],
  ]), allSettings(settings));
}

/** @param {any} settings */
function allSettings(settings) {
  const names = Object.keys(settings).filter((name) => settings[name] !== null);
  return el('details', {}, el('summary', {}, t('model.all')),
    el('p', { class: 'faint' }, t('model.how')),
    el('div', { class: 'table', tabindex: '0', role: 'region', 'aria-label': t('model.all') }, el('table', {}, el('tbody', {}, names.map((name) => el('tr', {},
      el('th', { scope: 'row' }, el('code', {}, `DESKSIDE_${name.toUpperCase()}`)),
      el('td', {}, String(settings[name]))))))));
}

/** @param {any} system */
function roomCard({ disk, index }) {
  return card(t('room.title'), '', facts([
    ['room.documents', index.documents],
    ['room.passages', index.passages],
    ['room.index', formatBytes(index.size_bytes)],
    ['room.data', formatBytes(disk.data_bytes)],
    ['room.free', formatBytes(disk.free_bytes)],
    ['room.embedder', index.embedder.split('|')[0]],
    index.renewal && ['room.renewal', t('room.renewed', { done: index.renewal.done, total: index.renewal.total })],
  ]));
}

/** @param {([string, string|number]|null)[]} rows */
function facts(rows) {
  return el('dl', { class: 'facts' }, rows.filter((row) => row !== null).flatMap(([key, value]) => [
    el('dt', {}, t(key)), el('dd', {}, typeof value === 'number' ? value.toLocaleString() : value)]));
}

/** @param {string} title @param {string} kind @param {...any} content */
function card(title, kind, ...content) {
  return el('section', { class: `card ${kind}` }, el('h3', {}, title), content);
}
