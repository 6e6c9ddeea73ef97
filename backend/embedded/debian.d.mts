export function onPath(name: string): string | undefined;
export function canUnpackDebian(): boolean;
export function unpackDebian(options: {
  packages: string[];
  folder: string;
  isUsable?: () => Promise<boolean>;
}): Promise<void>;
export function libraryPath(folder: string): Promise<{ LD_LIBRARY_PATH: string }>;
