import { contextBridge, ipcRenderer } from 'electron';

/**
 * The one door between the page and the services: a message port that the page makes and this hands on. The page gets
 * no function of Electron and no way to name a channel.
 */
contextBridge.exposeInMainWorld('studioHost', { kind: 'electron' });

window.addEventListener('message', (event) => {
  const ours = event.source === window && event.data === 'studio:connect' && event.ports.length === 1;
  if (ours) ipcRenderer.postMessage('studio:connect', null, [...event.ports]);
});
