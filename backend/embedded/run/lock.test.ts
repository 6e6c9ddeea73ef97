import { expect, it } from 'vitest';
import { lockFolder } from './lock.ts';
import { StartError } from './start-error.ts';

it.runIf(process.platform === 'linux')('refuses a folder that cannot be written', async () => {
  // Not even root may write there.
  const locked = lockFolder('/proc/self');
  await expect(locked).rejects.toThrow(StartError);
  await expect(locked).rejects.toThrow(/^The data folder cannot be used \(E.*\)\. Choose another/);
});
