import type { Command } from '../command.ts';
import { CONTROL_COMMANDS } from './control-commands.ts';
import { GATE_COMMANDS } from './gate-commands.ts';
import { INSPECT_COMMANDS } from './inspect-commands.ts';
import { METRIC_COMMANDS } from './metric-commands.ts';
import { RECORD_COMMANDS } from './record-commands.ts';
import { RUN_COMMANDS } from './run-commands.ts';
import { SESSION_COMMANDS } from './session-commands.ts';
import { STORE_COMMANDS } from './store-commands.ts';
import { THREAD_COMMANDS } from './thread-commands.ts';
import { VAULT_COMMANDS } from './vault-commands.ts';

/** The command table. Help, completion and `docs/reference/cli.md` are generated from it. */
export const COMMANDS: readonly Command[] = [
  ...RUN_COMMANDS,
  ...SESSION_COMMANDS,
  ...THREAD_COMMANDS,
  ...GATE_COMMANDS,
  ...CONTROL_COMMANDS,
  ...RECORD_COMMANDS,
  ...METRIC_COMMANDS,
  ...INSPECT_COMMANDS,
  ...STORE_COMMANDS,
  ...VAULT_COMMANDS,
];
