/** Starts the page: language, the two views, and what they share. */

import { Conversation } from './ask.js';
import { startBubble } from './cite.js';
import { byId } from './dom.js';
import { language, onLanguage, setLanguage, t, translatePage } from './i18n.js';
import { Library } from './library.js';
import { SourcePanel } from './source.js';
import { Uploads } from './upload.js';

const VIEWS = ['ask', 'library'];

translatePage();
startBubble();
const library = new Library();
new Conversation(new SourcePanel(byId('source')));
new Uploads({
  started: () => { location.hash = '#/library'; },
  added: () => { library.refresh(); },
});
startLanguageSwitch();
startSkipLink();
window.addEventListener('hashchange', showView);
showView();

function showView() {
  const wanted = location.hash.replace(/^#\//, '');
  const view = VIEWS.includes(wanted) ? wanted : 'ask';
  for (const name of VIEWS) {
    byId(name).hidden = name !== view;
    const link = document.querySelector(`[data-view="${name}"]`);
    if (name === view) link?.setAttribute('aria-current', 'page');
    else link?.removeAttribute('aria-current');
  }
  library.shown = view === 'library';
  if (view === 'ask') byId('question').focus({ preventScroll: true });
}

function startLanguageSwitch() {
  const button = byId('language');
  const label = () => {
    button.textContent = t('language.other');
    button.lang = language() === 'zh' ? 'en' : 'zh-CN';
  };
  button.addEventListener('click', () => setLanguage(language() === 'zh' ? 'en' : 'zh'));
  onLanguage(label);
  label();
}

// The hash names the view, so the skip link moves the focus without touching it.
function startSkipLink() {
  document.querySelector('.skip')?.addEventListener('click', (event) => {
    event.preventDefault();
    byId('main').focus();
  });
}
