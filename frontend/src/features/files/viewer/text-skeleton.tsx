import { Skeleton } from '../../../ui/skeleton.tsx';

/** Stands for text that is being loaded. */
export const TextSkeleton = ({ label }: { label: string }) => (
  <div className="grid gap-3 p-6">
    <span className="sr-only">{label}</span>
    <Skeleton className="w-2/3" />
    <Skeleton className="w-full" />
    <Skeleton className="w-11/12" />
    <Skeleton className="w-4/5" />
  </div>
);
