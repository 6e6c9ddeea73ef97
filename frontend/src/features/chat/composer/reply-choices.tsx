import { t } from 'virtual:texts/chat';
import { t as depthText } from 'virtual:texts/depth';
import { t as memoryText } from 'virtual:texts/memoryMode';
import {
  type Conversation,
  DEFAULT_DEPTH,
  DEFAULT_MEMORY,
  DEPTHS,
  type Depth,
  type DepthMedians,
  MEMORY_MODES,
  type MemoryMode,
} from '@stolas/backend/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Brain, Gauge } from 'lucide-react';
import { memo, type ReactNode, useState } from 'react';
import { apiGet } from '../../../lib/api.ts';
import { formatNumber } from '../../../lib/number.ts';
import { upsertConversation } from '../../../realtime/index.ts';
import { toastError } from '../../../ui/toast-store.ts';
import { useWidth } from '../../../ui/use-width.ts';
import { usePersona, usePersonaOfNewChat } from '../../personas/index.ts';
import { updateConversation } from '../api.ts';
import { type Choices, chooseForNew, useNewChoices } from '../sending/choices.ts';
import { useConversation } from '../use-conversation.ts';

const MINUTE_MS = 60_000;
/** Both selects at their greatest width, with the gap. */
const ROOM_FOR_TIMES_PX = 356;
/** Both selects with the longest names of all languages, without times. */
const ROOM_FOR_NAMES_PX = 270;
const TEMPORARY = 'temporary';

/** The settings of the next replies: their depth, and their use of memories. */
export const ReplyChoices = memo(function ReplyChoices({
  conversationId,
}: {
  conversationId: string;
}) {
  const conversation = useConversation(conversationId);
  const chosen = useNewChoices();
  const ofPersona = usePersona(usePersonaOfNewChat().personaId)?.depth;
  const { depth, memory, temporary }: Choices = conversation ?? {
    depth: chosen.depth ?? ofPersona ?? DEFAULT_DEPTH,
    memory: chosen.memory ?? DEFAULT_MEMORY,
    temporary: chosen.temporary ?? false,
  };
  const isShared = conversation?.shared !== undefined;
  const change = useChange(conversation);
  const medians = useMedians();
  const [row, setRow] = useState<HTMLElement | null>(null);
  const width = useWidth(row);
  const times = useDetails(width >= ROOM_FOR_TIMES_PX);
  const names = useDetails(width >= ROOM_FOR_NAMES_PX);
  return (
    <div ref={setRow} className="flex min-w-0 flex-1 gap-1 text-xs text-muted">
      <Select
        icon={<Gauge aria-hidden="true" />}
        label={depthText('label')}
        title={depthText('about')}
        value={depth}
        {...times.focus}
        onChange={(value) => change({ depth: value as Depth })}
      >
        {DEPTHS.map((name) => (
          <option key={name} value={name}>
            {withMedian(depthText(name), times.areShown ? medians?.[name] : null)}
          </option>
        ))}
      </Select>
      <Select
        icon={<Brain aria-hidden="true" />}
        label={memoryText('label')}
        value={temporary ? TEMPORARY : isShared ? 'off' : memory}
        {...(isShared && { title: t('memoryShared') })}
        disabled={conversation !== undefined && (temporary || isShared)}
        {...names.focus}
        onChange={(value) =>
          change(
            value === TEMPORARY
              ? { temporary: true }
              : { memory: value as MemoryMode, ...(!conversation && { temporary: false }) },
          )
        }
      >
        {MEMORY_MODES.map((mode) => (
          <option key={mode} value={mode}>
            {names.areShown ? memoryText(mode) : memoryText(`${mode}_short`)}
          </option>
        ))}
        {(!conversation || temporary) && (
          <option value={TEMPORARY}>
            {memoryText(names.areShown && !conversation ? 'temporary' : 'temporary_short')}
          </option>
        )}
      </Select>
    </div>
  );
});

interface SelectProps {
  icon: ReactNode;
  label: string;
  title?: string;
  value: string;
  disabled?: boolean;
  onFocus?: () => void;
  onBlur?: () => void;
  onChange: (value: string) => void;
  children: ReactNode;
}

/** A select of the platform: it works by keyboard and on phones as users know it. */
const Select = ({ icon, onChange, label, ...select }: SelectProps) => (
  <label className="relative inline-flex min-w-0 items-center rounded-sm transition-colors duration-150 ease-out first:shrink-[99] last:shrink-0 focus-within:text-ink hover:bg-hover hover:text-ink">
    <span className="pointer-events-none absolute left-2 [&_svg]:size-3.5">{icon}</span>
    <span className="sr-only">{label}</span>
    <select
      {...select}
      onChange={({ target }) => onChange(target.value)}
      className="field-sizing-content h-8 max-w-44 min-w-0 cursor-pointer appearance-none truncate rounded-sm bg-transparent pr-2 pl-7 disabled:cursor-default pointer-coarse:h-11 [&_option]:bg-raised [&_option]:text-ink"
    />
  </label>
);

/** Where the row has no room for the details of a select, the opened list shows them. */
function useDetails(hasRoom: boolean) {
  const [isFocused, setFocused] = useState(false);
  const focus = { onFocus: () => setFocused(true), onBlur: () => setFocused(false) };
  return { areShown: hasRoom || isFocused, focus };
}

const withMedian = (name: string, ms: number | null | undefined): string =>
  typeof ms === 'number'
    ? depthText('withMedian', { name, seconds: formatNumber(Math.max(1, Math.round(ms / 1_000))) })
    : name;

function useMedians(): DepthMedians['medianMs'] | undefined {
  const { data } = useQuery({
    queryKey: ['depths'],
    queryFn: ({ signal }) => apiGet<DepthMedians>('/api/depths', { signal, on401: 'throw' }),
    staleTime: 5 * MINUTE_MS,
    retry: false,
  });
  return data?.medianMs;
}

/** Changes the conversation at once; takes back a change that the server refuses. */
function useChange(conversation: Conversation | undefined) {
  const client = useQueryClient();
  return (chosen: Partial<Choices>) => {
    if (!conversation) return chooseForNew(chosen);
    const { depth, memory } = chosen;
    upsertConversation(client, { ...conversation, ...chosen });
    updateConversation(conversation.id, {
      ...(depth && { depth }),
      ...(memory && { memory }),
    }).then(
      (changed) => upsertConversation(client, changed),
      () => {
        upsertConversation(client, conversation);
        toastError(depthText('changeFailed'), depthText('changeFailedHint'));
      },
    );
  };
}
