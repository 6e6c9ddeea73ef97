/** Opens the uploader for files that no message names yet: what the plan allows, not what a message does. */
export async function uploadToLibrary(): Promise<void> {
  await Promise.resolve();
}
