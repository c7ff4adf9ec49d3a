import { Fault } from '../../model/fault.ts';

const STATUSES: readonly unknown[] = [401, 403];

/** Whether a tool failed because whoever it called did not accept who it is, in the ways in which clients say so. */
export function turnedDown(error: unknown): boolean {
  if (Fault.is(error)) return error.code === 'permission_denied';
  if (typeof error !== 'object' || error === null) return false;
  const { status, statusCode, response, code } = error as Readonly<Record<string, unknown>>;
  const inner = typeof response === 'object' && response !== null ? Reflect.get(response, 'status') : undefined;
  return [status, statusCode, inner, code].some((said) => STATUSES.includes(said));
}
