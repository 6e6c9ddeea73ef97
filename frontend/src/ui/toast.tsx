import { t } from 'virtual:texts/app';
import { X } from 'lucide-react';
import { Toast } from 'radix-ui';
import type { ReactNode } from 'react';
import { createPortal } from 'react-dom';
import { cn } from './cn.ts';
import { useAboveComposer, useTopRight } from './toast-placement.ts';
import { dismissToast, type ToastRecord, useNoticeAnchor, useToastStore } from './toast-store.ts';

/** Shows the notifications. Mounted once, at the root. See docs/product.md, 'Notices'. */
export function Toaster() {
  const current = useToastStore((state) => state.current);
  const isError = current?.variant === 'destructive';
  return (
    <Toast.Provider duration={5000} swipeThreshold={50} swipeDirection="right">
      {current && (isError ? <ErrorCard {...current} /> : <Pill {...current} />)}
      {isError ? (
        <ErrorViewport isLasting={isLasting(current)} />
      ) : (
        <PillViewport isAbove={current?.action !== undefined} />
      )}
    </Toast.Provider>
  );
}

const HOTKEY = ['F8'];
/** Clicks pass through wherever no control of a notice is. */
const VIEWPORT = 'pointer-events-none fixed flex outline-none';

/** Only a notice with an action, such as Undo, stands above the phone's drawer and viewer; others would cover their buttons. */
const PillViewport = ({ isAbove }: { isAbove: boolean }) => (
  <Toast.Viewport
    hotkey={HOTKEY}
    style={useAboveComposer()}
    className={cn(VIEWPORT, 'inset-x-0 justify-center px-4', isAbove ? 'z-50' : 'z-20')}
  />
);

/** It has no controls: it ends with its cause. */
const isLasting = ({ duration, action }: ToastRecord): boolean =>
  duration === Number.POSITIVE_INFINITY && !action;

function ErrorViewport({ isLasting: lasts }: { isLasting: boolean }) {
  const room = useNoticeAnchor((anchors) => anchors.room);
  if (!lasts || !room) return <CornerViewport isLasting={lasts} />;
  return createPortal(
    <Toast.Viewport hotkey={HOTKEY} className="flex px-4 pb-2 outline-none" />,
    room,
  );
}

const CornerViewport = (place: { isLasting: boolean }) => (
  <Toast.Viewport
    hotkey={HOTKEY}
    style={useTopRight(place)}
    className={cn(
      VIEWPORT,
      'z-50 top-[max(1rem,env(safe-area-inset-top))] right-0 left-0 px-4 md:left-auto md:w-full md:max-w-[420px]',
    )}
  />
);

interface FrameProps extends ToastRecord {
  className: string;
  children: ReactNode;
}

/** A new toast is another element: it is announced, and its time starts. */
function Frame({ id, open, duration, variant, className, children }: FrameProps) {
  return (
    <Toast.Root
      key={id}
      type={variant === 'destructive' ? 'foreground' : 'background'}
      open={open}
      onOpenChange={(next) => !next && dismissToast(id)}
      {...(duration !== undefined && { duration })}
      className={cn(
        'border bg-raised text-sm shadow-float data-[state=open]:animate-rise',
        'data-[swipe=move]:translate-x-(--radix-toast-swipe-move-x) data-[swipe=cancel]:translate-x-0 data-[swipe=end]:translate-x-full',
        className,
      )}
    >
      {children}
    </Toast.Root>
  );
}

/** A line above the composer. Clicks pass through it, unless it has an action. */
function Pill(record: ToastRecord) {
  const { title, description, action } = record;
  return (
    <Frame
      {...record}
      className={cn(
        'flex min-h-8 max-w-[420px] items-center gap-2 border-line px-4 py-1',
        description ? 'rounded-lg py-2' : 'rounded-full',
        action && 'pointer-events-auto pr-1.5',
      )}
    >
      <div className="min-w-0 break-words">
        <Toast.Title className="font-medium">{title}</Toast.Title>
        {description && <Toast.Description className="text-muted">{description}</Toast.Description>}
      </div>
      {action && (
        <div className="-my-0.5 flex shrink-0 items-center">
          <Action {...action} />
          <Close className="rounded-full" />
        </div>
      )}
    </Frame>
  );
}

function ErrorCard(record: ToastRecord) {
  const { title, description, link, action } = record;
  const lasts = isLasting(record);
  return (
    <Frame
      {...record}
      className={cn(
        'ml-auto flex items-start gap-3 rounded-lg border-danger px-4',
        lasts ? 'py-1' : 'pointer-events-auto w-full py-4 pr-3',
      )}
    >
      <div className="min-w-0 flex-1 py-0.5 break-words">
        <Toast.Title className="font-medium text-danger">{title}</Toast.Title>
        {description && (
          <Toast.Description className="mt-1 text-muted">{description}</Toast.Description>
        )}
        {link && (
          <a
            href={link.href}
            className="mt-1 inline-block rounded-sm break-all text-cool underline-offset-4 hover:underline"
          >
            {link.label}
          </a>
        )}
      </div>
      {action && <Action {...action} />}
      {!lasts && <Close className="rounded-sm pointer-coarse:-my-2" />}
    </Frame>
  );
}

const Close = ({ className }: { className: string }) => (
  <Toast.Close
    aria-label={t('closeNotice')}
    className={cn(
      'grid size-7 shrink-0 place-content-center text-muted hover:bg-hover hover:text-ink pointer-coarse:size-11',
      className,
    )}
  >
    <X aria-hidden="true" className="size-4" />
  </Toast.Close>
);

const Action = ({ label, onSelect }: NonNullable<ToastRecord['action']>) => (
  <Toast.Action
    altText={label}
    onClick={onSelect}
    className="shrink-0 rounded-full px-2.5 py-1 font-medium text-cool hover:bg-hover pointer-coarse:min-h-11"
  >
    {label}
  </Toast.Action>
);
