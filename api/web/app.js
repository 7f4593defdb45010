/** Starts the page: language, the views, and what they share. */

import { Conversation } from './ask.js';
import { startBubble } from './cite.js';
import { byId } from './dom.js';
import { goTo, registerView, startFrame } from './frame.js';
import { Health } from './health.js';
import { History } from './history.js';
import { translatePage } from './i18n.js';
import { Library } from './library.js';
import { SourcePanel } from './source.js';
import { Uploads } from './upload.js';

translatePage();
startBubble();
const library = new Library();
const panel = new SourcePanel(byId('source'));
const conversation = new Conversation(panel);
const history = new History(conversation);
const health = new Health();
new Uploads({
  started: () => goTo('library'),
  added: () => { library.refresh(); },
});
registerView('ask', {
  show: (id) => { conversation.open(id); history.refresh(); },
});
registerView('library', {
  show: (rest) => library.show(rest),
  hide: () => library.hide(),
});
registerView('health', {
  show: () => { health.shown = true; },
  hide: () => { health.shown = false; },
});
startFrame({ closeSource: () => panel.hide() });
