import { Fault } from '../../index.ts';
import { type Call, readTextFlag } from '../command.ts';

/** Returns the text of a mandatory option. `name` is the camelCase name, such as `approver` for `--approver`. */
export function requireTextFlag({ flags }: Call, name: string): string {
  const value = readTextFlag(flags, name);
  if (value === null) throw new Fault('input_invalid', `--${name} is required`);
  return value;
}

/** Returns the reason of a decision, which is recorded with it. */
export function requireReason({ flags }: Call): string {
  const reason = readTextFlag(flags, 'reason');
  if (reason === null) throw new Fault('input_invalid', 'a reason is required for the record: --reason "…"');
  return reason;
}
