/** The text or sheet around a passage, as it was read: a document of its own, in which nothing can run. */

import { el } from './dom.js';
import { call } from './http.js';
import { t } from './i18n.js';
import { quoted } from './places.js';

export class Around {
  /**
   * @param {any} source a citation or hit
   * @param {(words: string) => void} told what should be known of the marks
   * @returns {Promise<HTMLElement|null>} null where nothing is kept of it
   */
  async load(source, told) {
    const { document_id: id, document_name: name, passage_id: passage } = source;
    if (!passage) return null;
    const beginning = `/api/documents/${encodeURIComponent(id)}/preview`;
    let address = `${beginning}?${quoted(source)}`;
    try {
      const { headers } = await call(address, { quiet: true });
      if (source.quote && headers.get('Deskside-Marked') === 'passage') told(t('source.passageMarked'));
    } catch {
      // Read anew since it was cited: its beginning may still be shown, without marks.
      address = beginning;
      if (!await call(address, { quiet: true }).catch(() => null)) return null;
      told(t('source.changed'));
    }
    const frame = el('iframe', { src: address, sandbox: '', title: t('source.around', { name }) });
    // The fragment brings the marked words into view without a script, once they are laid out.
    frame.addEventListener('load', () => { frame.src = `${address}#cited`; }, { once: true });
    return frame;
  }
}
