import { X } from 'lucide-react';
import { Toast } from 'radix-ui';
import { cn } from './cn.ts';
import { dismissToast, type ToastRecord, useToastStore } from './toast-store.ts';

/** Shows the notifications. Mounted once, at the root. See docs/product.md, 'Notices'. */
export function Toaster() {
  const current = useToastStore((state) => state.current);
  return (
    <Toast.Provider duration={5000} swipeThreshold={50} swipeDirection="right">
      {current && <ToastCard key={current.id} {...current} />}
      <Toast.Viewport
        hotkey={['F8']}
        className="fixed inset-x-0 top-0 z-50 p-4 pt-[max(1rem,env(safe-area-inset-top))] outline-none md:left-auto md:w-full md:max-w-[420px]"
      />
    </Toast.Provider>
  );
}

function ToastCard({ id, open, title, description, variant, duration, action }: ToastRecord) {
  const destructive = variant === 'destructive';
  return (
    <Toast.Root
      open={open}
      onOpenChange={(next) => !next && dismissToast(id)}
      {...(duration !== undefined && { duration })}
      className={cn(
        'flex items-start gap-3 rounded-lg border bg-raised p-4 pr-3 shadow-float data-[state=open]:animate-rise',
        'data-[swipe=move]:translate-x-(--radix-toast-swipe-move-x) data-[swipe=cancel]:translate-x-0 data-[swipe=end]:translate-x-full',
        destructive ? 'border-danger' : 'border-line',
      )}
    >
      <div className="min-w-0 flex-1 py-0.5 text-sm">
        <Toast.Title className={cn('font-medium', destructive && 'text-danger')}>
          {title}
        </Toast.Title>
        {description && (
          <Toast.Description className="mt-1 break-words text-muted">
            {description}
          </Toast.Description>
        )}
      </div>
      {action && (
        <Toast.Action
          altText={action.label}
          onClick={action.onSelect}
          className="rounded-sm px-2 py-1 text-sm font-medium text-cool hover:bg-hover pointer-coarse:min-h-11"
        >
          {action.label}
        </Toast.Action>
      )}
      <Toast.Close
        aria-label="Close notification"
        className="grid size-7 shrink-0 place-content-center rounded-sm text-muted hover:bg-hover hover:text-ink pointer-coarse:-my-2 pointer-coarse:size-11"
      >
        <X aria-hidden="true" className="size-4" />
      </Toast.Close>
    </Toast.Root>
  );
}
