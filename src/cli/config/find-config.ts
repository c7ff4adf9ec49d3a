import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { ConfigFault } from './config-fault.ts';

const CONFIG_NAME = 'ambit.config.ts';

/** The file that was named, or the first `ambit.config.ts` from this folder upwards. */
export function findConfig(folder: string, named: string | null): string {
  if (named !== null) {
    const file = resolve(folder, named);
    if (existsSync(file)) return file;
    throw new ConfigFault('input_invalid', `there is no file ${file}`, { fix: 'name another one with --config' });
  }
  for (let at = resolve(folder); ; at = dirname(at)) {
    const file = join(at, CONFIG_NAME);
    if (existsSync(file)) return file;
    if (dirname(at) === at) break;
  }
  throw new ConfigFault('input_invalid', `there is no ${CONFIG_NAME} in ${resolve(folder)} or a folder above it`, {
    fix: 'make one with: ambit init',
  });
}
