import { t } from 'virtual:texts/settings';
import { Monitor, Moon, Sun } from 'lucide-react';
import { LANGUAGES, language } from '../../i18n/language.ts';
import { reloadPage } from '../../lib/location.ts';
import { writeItem } from '../../lib/storage.ts';
import { chooseTheme, type ThemeChoice, useThemeChoice } from '../../lib/theme.ts';
import { ChoiceGroup } from './choice-group.tsx';
import { Section } from './section.tsx';

const THEMES = [
  { choice: 'light', Icon: Sun },
  { choice: 'dark', Icon: Moon },
  { choice: 'system', Icon: Monitor },
] as const satisfies readonly { choice: ThemeChoice; Icon: typeof Sun }[];

/** Stores the language of the interface, which `public/start.js` reads, and loads the page in it. */
function chooseLanguage(tag: string): void {
  writeItem('language', tag);
  reloadPage();
}

export const AppearanceSection = () => (
  <Section title={t('appearance')} description={t('appearanceNote')}>
    <Themes />
    <ChoiceGroup
      legend={t('language')}
      name="language"
      choices={LANGUAGES.map((tag) => ({
        value: tag,
        label: <span lang={tag}>{ownNameOf(tag)}</span>,
      }))}
      current={language()}
      onChoose={chooseLanguage}
      note={t('languageNote')}
    />
  </Section>
);

function Themes() {
  const choices = THEMES.map(({ choice, Icon }) => ({
    value: choice,
    label: (
      <>
        <Icon aria-hidden="true" className="size-5" strokeWidth={1.6} />
        {t(choice)}
      </>
    ),
  }));
  return (
    <ChoiceGroup
      legend={t('theme')}
      name="theme"
      choices={choices}
      current={useThemeChoice()}
      onChoose={chooseTheme}
    />
  );
}

/** What a language calls itself: 'Deutsch'. */
function ownNameOf(tag: string): string {
  const name = new Intl.DisplayNames(tag, { type: 'language' }).of(tag) ?? tag;
  return name.charAt(0).toLocaleUpperCase(tag) + name.slice(1);
}
