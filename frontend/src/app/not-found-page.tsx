import { t } from 'virtual:texts/app';
import { Link } from 'wouter';
import { Button } from '../ui/button.tsx';
import { Eye } from '../ui/eye.tsx';

/** Texts of docs/product.md, 'Screens'. */
export function NotFoundPage() {
  return (
    <main className="grid min-h-dvh place-content-center justify-items-center gap-3 px-5 text-center">
      <Eye className="size-12 text-gold" />
      <h1 className="text-xl font-semibold">{t('notFound')}</h1>
      <p className="max-w-sm text-muted">{t('notFoundLine')}</p>
      <Button asChild variant="primary" className="mt-3">
        <Link href="/">{t('returnToChat')}</Link>
      </Button>
    </main>
  );
}
