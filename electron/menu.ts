import type { MenuItemConstructorOptions } from 'electron';
import type { Locale } from '../shared/text/texts.ts';
import { shellText } from './ipc/shell-texts.ts';

/**
 * The application's menu: what the system expects of a program (on macOS the editing keys come from it). The commands of
 * the program itself are in its window.
 */
export function menuTemplate(
  locale: Locale,
  options: { readonly isMac: boolean; readonly isPackaged: boolean },
): MenuItemConstructorOptions[] {
  const text = (key: 'name' | 'file' | 'edit' | 'view' | 'window') => shellText(locale, key);
  return [
    ...(options.isMac ? [{ label: text('name'), role: 'appMenu' as const }] : []),
    { label: text('file'), submenu: [{ role: options.isMac ? 'close' : 'quit' }] },
    {
      label: text('edit'),
      submenu: [{ role: 'cut' }, { role: 'copy' }, { role: 'paste' }, { role: 'selectAll' }],
    },
    {
      label: text('view'),
      submenu: [
        { role: 'resetZoom' },
        { role: 'zoomIn' },
        { role: 'zoomOut' },
        { role: 'togglefullscreen' },
        ...(options.isPackaged ? [] : [{ role: 'toggleDevTools' as const }]),
      ],
    },
    { label: text('window'), role: 'windowMenu' },
  ];
}
