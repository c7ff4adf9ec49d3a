import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { CliFault } from '../cli-fault.ts';

const CONFIG_NAME = 'ambit.config.ts';

/** Returns the file of `--config`, or the nearest `ambit.config.ts` in this folder or above. */
export function findConfig(folder: string, configFile: string | null): string {
  if (configFile !== null) {
    const file = resolve(folder, configFile);
    if (existsSync(file)) return file;
    throw new CliFault('input_invalid', `config file ${file} does not exist`, {
      fix: 'pass another file with --config',
    });
  }
  for (let at = resolve(folder); ; at = dirname(at)) {
    const file = join(at, CONFIG_NAME);
    if (existsSync(file)) return file;
    if (dirname(at) === at) break;
  }
  throw new CliFault('input_invalid', `no ${CONFIG_NAME} in ${resolve(folder)} or a folder above it`, {
    fix: 'create one: ambit init',
  });
}
