export interface PartRequest {
  signature: { url: string; method?: string; headers?: Record<string, string> };
  body: Blob;
}

export function uploadWithUppy(options: {
  /** URL of the API. */
  endpoint: string;
  headers: Record<string, string>;
  bytes: Uint8Array;
  /** Larger files are sent in parts. */
  multipartFrom: number;
  /** Rejects with `{source: {status}}`; Uppy repeats a part whose status is 0. */
  send: (part: PartRequest) => Promise<{ ETag: string }>;
}): Promise<{ uploadURL: string | undefined; errors: string[] }>;
