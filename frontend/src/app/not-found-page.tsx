import { Link } from 'wouter';
import { Button } from '../ui/button.tsx';
import { Eye } from '../ui/eye.tsx';

/** Texts of docs/product.md, 'Screens'. */
export function NotFoundPage() {
  return (
    <main className="grid min-h-dvh place-content-center justify-items-center gap-3 px-5 text-center">
      <Eye className="size-12 text-gold" />
      <h1 className="text-xl font-semibold">404 Page Not Found</h1>
      <p className="max-w-sm text-muted">
        The page you're looking for doesn't exist or has been moved.
      </p>
      <Button asChild variant="primary" className="mt-3">
        <Link href="/">Return to Chat</Link>
      </Button>
    </main>
  );
}
