/**
 * What stays while the views change: the address, the side with its drawer, light and dark.
 * @typedef {{show?: (rest: string) => void, hide?: () => void}} View
 */

import { byId, fill } from './dom.js';
import { icon } from './icons.js';
import { language, onLanguage, setLanguage, t } from './i18n.js';
import { KEY_GIVEN } from './key.js';

/** From here on the source has its place beside the answer; the same in style.css. */
const BESIDE = matchMedia('(min-width: 68.75rem)');
const FIRST = 'ask';

/** @type {Map<string, View>} */
const views = new Map();
let current = '';
let sourceOpen = false;
/** @type {() => void} */
let closeSource = () => {};

/** @param {string} name the id of its section, and the first part of its address @param {View} view */
export function registerView(name, view) {
  views.set(name, view);
}

/** @param {{closeSource: () => void}} actions */
export function startFrame(actions) {
  closeSource = actions.closeSource;
  startSwitches();
  startDrawer();
  // The address names the view, so the skip link moves the focus without touching it.
  document.querySelector('.skip')?.addEventListener('click', (event) => {
    event.preventDefault();
    byId('main').focus();
  });
  BESIDE.addEventListener('change', cover);
  for (const event of ['hashchange', KEY_GIVEN]) window.addEventListener(event, showView);
  showView();
}

/** @param {string} view @param {string} [rest] what the view itself understands */
export function goTo(view, rest = '') {
  location.hash = addressOf(view, rest);
}

/** Names what the view shows already, without a step in the browser's history. @param {string} view @param {string} rest */
export function nameAddress(view, rest) {
  const address = addressOf(view, rest);
  if (view === current) history.replaceState(null, '', address);
  tabOf(view)?.setAttribute('href', address); // a tab leads back to where its view was left
}

/** Told by the source panel, which as an overlay keeps what is beneath it out of reach. @param {boolean} open */
export function sourceShown(open) {
  sourceOpen = open;
  byId('ask').classList.toggle('with-source', open);
  cover();
}

/** @param {string} view @param {string} rest */
function addressOf(view, rest) {
  return rest ? `#/${view}/${encodeURIComponent(rest)}` : `#/${view}`;
}

function showView() {
  const [, wanted = '', rest = ''] = /^#\/([^/]*)\/?(.*)$/.exec(location.hash) ?? [];
  const name = views.has(wanted) ? wanted : FIRST;
  if (name !== current) views.get(current)?.hide?.();
  current = name;
  for (const each of views.keys()) {
    byId(each).hidden = each !== name;
    const tab = tabOf(each);
    if (each === name) tab?.setAttribute('aria-current', 'page');
    else tab?.removeAttribute('aria-current');
  }
  if (location.hash) tabOf(name)?.setAttribute('href', location.hash);
  openDrawer(false);
  if (sourceOpen && name !== FIRST) closeSource();
  views.get(name)?.show?.(decoded(rest));
}

/** @param {string} name */
function tabOf(name) {
  return document.querySelector(`.tabs [data-view="${name}"]`);
}

/** @param {string} text */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // typed by hand
  }
}

function startSwitches() {
  const words = byId('language');
  const theme = byId('theme');
  const root = document.documentElement;
  const label = () => {
    words.textContent = t('language.other');
    words.lang = language() === 'zh' ? 'en' : 'zh-CN';
    const other = root.dataset.theme === 'dark' ? 'light' : 'dark';
    fill(theme, icon(other === 'dark' ? 'moon' : 'sun'), ' ', t(`theme.${other}`));
  };
  words.addEventListener('click', () => setLanguage(language() === 'zh' ? 'en' : 'zh'));
  theme.addEventListener('click', () => {
    const detail = root.dataset.theme === 'dark' ? 'light' : 'dark';
    window.dispatchEvent(new CustomEvent('deskside:theme', { detail }));
  });
  new MutationObserver(label).observe(root, { attributeFilter: ['data-theme'] });
  onLanguage(label);
  label();
}

function startDrawer() {
  byId('menu').addEventListener('click', () => openDrawer(true));
  byId('shut').addEventListener('click', () => openDrawer(false));
  byId('scrim').addEventListener('click', () => {
    if (drawerOpen()) openDrawer(false);
    else closeSource();
  });
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && drawerOpen()) openDrawer(false);
  });
}

function drawerOpen() {
  return byId('side').classList.contains('open');
}

/** @param {boolean} open */
function openDrawer(open) {
  if (open === drawerOpen()) return;
  byId('side').classList.toggle('open', open);
  byId('menu').setAttribute('aria-expanded', String(open));
  byId('main').inert = open;
  cover();
  if (open) byId('drawer').querySelector('a, button')?.focus();
  else byId('menu').focus();
}

function cover() {
  const overlay = sourceOpen && !BESIDE.matches;
  const column = document.querySelector('.column');
  if (column) /** @type {HTMLElement} */ (column).inert = overlay;
  byId('side').inert = overlay;
  byId('scrim').hidden = !overlay && !drawerOpen();
}
