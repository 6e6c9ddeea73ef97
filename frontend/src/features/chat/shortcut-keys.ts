import { t } from 'virtual:texts/shortcuts';

const commandKey = (): string => (/Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘' : t('ctrlKey'));

/** The keys of the shortcuts that the sheet and the command menu name, each pressed together (`use-shortcuts.ts`). */
export const shortcutKeys = () => ({
  newChat: [commandKey(), t('shiftKey'), 'O'],
  openCommandMenu: [commandKey(), 'K'],
  toggleSidebar: [commandKey(), 'B'],
  print: [commandKey(), 'P'],
  showSheet: [commandKey(), '/'],
});
