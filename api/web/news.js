/** News between the tabs of one browser: what one changed, the others read anew. */

const channel = 'BroadcastChannel' in window ? new BroadcastChannel('deskside') : null;

/** @param {{conversation: string}} news which conversation changed */
export function tell(news) {
  channel?.postMessage(news);
}

/** @param {(news: {conversation: string}) => void} listener */
export function onNews(listener) {
  channel?.addEventListener('message', ({ data }) => listener(data));
}
