import type { UserFile } from '@stolas/backend/contract';
import type { QueryClient } from '@tanstack/react-query';

/** Lists of the user's files. */
export const filesKey = ['files'] as const;
/** One file; without an id, all of them. */
export const fileKey = (id?: string) => (id === undefined ? ['file'] : ['file', id]);

export function updateFile(client: QueryClient, file: UserFile): void {
  client.setQueryData<UserFile>(fileKey(file.id), file);
  void client.invalidateQueries({ queryKey: filesKey });
}

export function removeFile(client: QueryClient, id: string): void {
  client.setQueryData<UserFile | null>(fileKey(id), null);
  void client.invalidateQueries({ queryKey: filesKey });
}
