import { Skeleton } from './skeleton.tsx';

/** Stands for a list that is being read. */
export const Loading = ({ label }: { label: string }) => (
  <div aria-busy="true" className="mt-8 grid gap-4">
    <span className="sr-only">{label}</span>
    {['w-full', 'w-10/12', 'w-11/12'].map((width) => (
      <Skeleton key={width} className={width} />
    ))}
  </div>
);
