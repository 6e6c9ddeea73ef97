import { t } from 'virtual:texts/commandMenu';
import { Search } from 'lucide-react';
import { Dialog } from 'radix-ui';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { cn } from '../../../ui/cn.ts';
import { Kbd } from '../../../ui/kbd.tsx';
import { RetryLine } from '../../../ui/retry-line.tsx';
import { Spinner } from '../../../ui/spinner.tsx';
import { isComposing } from '../text-box.ts';
import { closeCommandMenu } from './command-menu-store.ts';
import { type MenuOption, useOptions } from './use-options.ts';

/** Finds conversations, messages and commands by a few letters (docs/product.md, 'Search'). */
export function CommandMenu() {
  const opener = useRef<Element | null>(null);
  const chosen = useRef<MenuOption | null>(null);
  const choose = (option: MenuOption) => {
    chosen.current = option;
    closeCommandMenu();
    option.run();
  };
  return (
    <Dialog.Root open onOpenChange={closeCommandMenu}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 animate-fade bg-scrim" />
        <Dialog.Content
          aria-describedby={undefined}
          onOpenAutoFocus={() => {
            opener.current = document.activeElement;
          }}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            // The chosen command moves the focus itself, or leaves it in place.
            if (opener.current instanceof HTMLElement && isFocusLost()) opener.current.focus();
          }}
          className="fixed inset-x-4 top-[max(1rem,env(safe-area-inset-top))] z-40 mx-auto flex max-h-[min(32rem,calc(100dvh-2rem))] max-w-xl animate-pop flex-col overflow-hidden rounded-lg border border-line bg-raised shadow-float outline-none sm:top-[12dvh] sm:max-h-[min(32rem,76dvh)]"
        >
          <Dialog.Title className="sr-only">{t('title')}</Dialog.Title>
          <Menu onChoose={choose} />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

const isFocusLost = (): boolean =>
  document.activeElement === null || document.activeElement === document.body;

const LIST_ID = 'command-menu-list';

function Menu({ onChoose }: { onChoose: (option: MenuOption) => void }) {
  const [search, setSearch] = useState('');
  const { groups, isSearching, isFailed, retry } = useOptions(search);
  const options = groups.flatMap((group) => group.options);
  const [activeId, setActiveId] = useState<string | null>(null);
  const active = options.find(({ id }) => id === activeId) ?? options[0];

  useEffect(() => {
    if (active) document.getElementById(active.id)?.scrollIntoView?.({ block: 'nearest' });
  }, [active]);

  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event)) return;
    if (event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      closeCommandMenu();
    } else if (event.key === 'Enter') {
      event.preventDefault();
      if (active) onChoose(active);
    } else {
      const next = optionByKey(event, { options, active, search });
      if (!next) return;
      event.preventDefault();
      setActiveId(next.id);
    }
  };

  return (
    <>
      <div className="relative shrink-0 border-b border-line">
        <Search
          aria-hidden="true"
          className="pointer-events-none absolute inset-y-0 left-4 my-auto size-4 text-muted"
        />
        <input
          role="combobox"
          aria-label={t('searchBox')}
          aria-expanded="true"
          aria-controls={LIST_ID}
          aria-activedescendant={active?.id}
          aria-autocomplete="list"
          autoComplete="off"
          enterKeyHint="go"
          maxLength={200}
          placeholder={t('searchBox')}
          value={search}
          onChange={({ target }) => {
            setSearch(target.value);
            setActiveId(null);
          }}
          onKeyDown={onKeyDown}
          className="h-13 w-full bg-transparent pr-12 pl-11 text-base outline-none placeholder:text-muted"
        />
        {isSearching && (
          <Spinner className="absolute inset-y-0 right-4 my-auto size-4 text-muted" />
        )}
      </div>
      <div
        id={LIST_ID}
        // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a select shows no marks and icons
        role="listbox"
        aria-label={t('results')}
        className="min-h-0 flex-1 overflow-y-auto overscroll-contain p-2"
      >
        {groups.map(({ name, options: lines }) => (
          // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a fieldset is for forms
          <div key={name} role="group" aria-labelledby={`command-menu-${name}`}>
            <p
              id={`command-menu-${name}`}
              className="px-3 pt-2 pb-1 text-xs font-medium text-muted"
            >
              {t(name)}
            </p>
            {lines.map((option) => (
              <Option
                key={option.id}
                option={option}
                isActive={option === active}
                onActive={() => setActiveId(option.id)}
                onChoose={() => onChoose(option)}
              />
            ))}
          </div>
        ))}
      </div>
      <Status
        search={search}
        isSearching={isSearching}
        isFailed={isFailed}
        count={options.length}
        onRetry={retry}
      />
    </>
  );
}

function optionByKey(
  { key }: KeyboardEvent,
  {
    options,
    active,
    search,
  }: { options: MenuOption[]; active: MenuOption | undefined; search: string },
): MenuOption | undefined {
  const at = options.findIndex((option) => option === active);
  if (key === 'ArrowDown') return options[at + 1] ?? options[0];
  if (key === 'ArrowUp') return options[at - 1] ?? options.at(-1);
  // With text in the field, these keys move the caret.
  if (search !== '') return undefined;
  if (key === 'Home') return options[0];
  return key === 'End' ? options.at(-1) : undefined;
}

interface OptionProps {
  option: MenuOption;
  isActive: boolean;
  onActive: () => void;
  onChoose: () => void;
}

const Option = ({ option, isActive, onActive, onChoose }: OptionProps) => (
  // The keys are those of the text field, which keeps the focus.
  // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus
  <div
    id={option.id}
    // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- as above
    role="option"
    aria-selected={isActive}
    onPointerMove={onActive}
    onClick={onChoose}
    className={cn(
      'flex min-h-10 cursor-pointer items-center gap-3 rounded-sm px-3 py-2 text-sm pointer-coarse:min-h-11',
      isActive && 'bg-hover',
    )}
  >
    <option.icon aria-hidden="true" className="size-4 shrink-0 text-muted" />
    <span className="min-w-0 flex-1">
      <span dir="auto" className="line-clamp-2 text-left wrap-anywhere">
        {option.label}
      </span>
      {option.detail && (
        <span dir="auto" className="block truncate text-left text-xs text-muted">
          {option.detail}
        </span>
      )}
    </span>
    {option.hint && <span className="shrink-0 text-xs text-muted tabular-nums">{option.hint}</span>}
    {option.keys && (
      <span aria-hidden="true" className="flex shrink-0 gap-1 pointer-coarse:hidden">
        {option.keys.map((key) => (
          <Kbd key={key}>{key}</Kbd>
        ))}
      </span>
    )}
  </div>
);

interface StatusProps {
  search: string;
  isSearching: boolean;
  isFailed: boolean;
  count: number;
  onRetry: () => void;
}

function Status({ search, isSearching, isFailed, count, onRetry }: StatusProps) {
  if (isFailed)
    return (
      <RetryLine
        text={t('searchFailed')}
        onRetry={onRetry}
        className="flex-nowrap border-t border-line px-5"
      />
    );
  const isEmpty = count === 0 && !isSearching;
  return (
    <output className={isEmpty ? 'px-5 pb-5 text-sm text-muted' : 'sr-only'}>
      {isEmpty ? t('nothing', { search: search.trim() }) : null}
      {count > 0 && !isSearching && t('resultCount', { count })}
    </output>
  );
}
