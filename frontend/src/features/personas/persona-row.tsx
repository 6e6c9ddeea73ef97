import { t as common } from 'virtual:texts/app';
import { t } from 'virtual:texts/personas';
import type { PersonaSummary } from '@stolas/backend/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Copy, Download, Ellipsis, Image, Pencil, Trash2, UserPlus } from 'lucide-react';
import { navigate } from 'wouter/use-browser-location';
import { updatePersona } from '../../realtime/index.ts';
import { Button } from '../../ui/button.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { Menu, MenuContent, MenuItem, MenuSeparator, MenuTrigger } from '../../ui/menu.tsx';
import { showFailure } from '../auth/index.ts';
import { mayManage, roleIn, sharedBy } from '../grants/index.ts';
import { duplicatePersona, exportUrl } from './api.ts';
import { sharesInWords } from './fusion/members.ts';
import { isLimit } from './limit-notice.tsx';
import { setPersonaOfNewChat } from './new-chat.ts';
import { PersonaSymbol } from './persona-symbol.tsx';
import { showEditor } from './place.ts';

interface PersonaRowProps {
  persona: PersonaSummary;
  onDelete: (persona: PersonaSummary) => void;
  onShare: (persona: PersonaSummary) => void;
  /** The plan allows no further persona. */
  onLimit: () => void;
}

export function PersonaRow({ persona, onDelete, onShare, onLimit }: PersonaRowProps) {
  const { id, name, role, fusion } = persona;
  const line = fusion ? sharesInWords(fusion.members) : role;
  const owner = sharedBy(persona);
  // Who may only use it does not see its text.
  const isHidden = roleIn(persona) === 'viewer';
  const client = useQueryClient();
  const { mutate: duplicate } = useMutation({
    mutationFn: () => duplicatePersona(id),
    onSuccess: (copy) => {
      updatePersona(client, copy);
    },
    onError: (error) => (isLimit(error) ? onLimit() : showFailure(t('notDuplicated'))(error)),
  });
  const chat = () => {
    setPersonaOfNewChat(id);
    navigate('/?c=new');
  };
  return (
    <li className="flex items-center gap-4 py-3">
      <PersonaSymbol persona={persona} />
      <button
        type="button"
        disabled={isHidden}
        onClick={() => showEditor(id)}
        className="min-w-0 flex-1 rounded-sm text-left"
      >
        <bdi className="block truncate font-medium">{name}</bdi>
        {line !== '' && (
          <bdi className="line-clamp-3 text-sm text-muted sm:line-clamp-1">{line}</bdi>
        )}
        {owner !== null && (
          <bdi className="block text-sm text-muted">{t('sharedBy', { owner })}</bdi>
        )}
      </button>
      <Button size="sm" aria-label={t('chatAs', { name })} onClick={chat}>
        {t('chat')}
      </Button>
      {!isHidden && (
        <Actions
          persona={persona}
          onDuplicate={duplicate}
          onShare={() => onShare(persona)}
          onDelete={() => onDelete(persona)}
        />
      )}
    </li>
  );
}

interface ActionsProps {
  persona: PersonaSummary;
  onDuplicate: () => void;
  onShare: () => void;
  onDelete: () => void;
}

function Actions({ persona, onDuplicate, onShare, onDelete }: ActionsProps) {
  const { id, name, isReadyMade } = persona;
  return (
    <Menu>
      <MenuTrigger>
        <IconButton label={t('actionsFor', { name })}>
          <Ellipsis aria-hidden="true" />
        </IconButton>
      </MenuTrigger>
      <MenuContent align="end">
        <MenuItem onSelect={() => showEditor(id)}>
          <Pencil aria-hidden="true" />
          {isReadyMade ? t('view') : t('edit')}
        </MenuItem>
        <MenuItem onSelect={() => onDuplicate()}>
          <Copy aria-hidden="true" />
          {t('duplicate')}
        </MenuItem>
        <MenuSeparator />
        <MenuItem asChild>
          <a href={exportUrl(id, 'v3')} download>
            <Download aria-hidden="true" />
            {t('exportV3')}
          </a>
        </MenuItem>
        <MenuItem asChild>
          <a href={exportUrl(id, 'v2')} download>
            <Download aria-hidden="true" />
            {t('exportV2')}
          </a>
        </MenuItem>
        <MenuItem asChild>
          <a href={exportUrl(id, 'png')} download>
            <Image aria-hidden="true" />
            {t('exportPng')}
          </a>
        </MenuItem>
        {!isReadyMade && mayManage(persona) && (
          <>
            <MenuSeparator />
            <MenuItem onSelect={onShare}>
              <UserPlus aria-hidden="true" />
              {t('share')}
            </MenuItem>
            <MenuItem danger onSelect={() => onDelete()}>
              <Trash2 aria-hidden="true" />
              {common('delete')}
            </MenuItem>
          </>
        )}
      </MenuContent>
    </Menu>
  );
}
