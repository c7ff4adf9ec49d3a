import type { Pins } from '../model/context.ts';
import { Fault } from '../model/fault.ts';

/** Pins are for the whole life of a run: nothing but a migration, which an operator decides, moves them. */
export function assertPinsKept(before: Pins | null, after: Pins): void {
  if (before === null || samePins(before, after)) return;
  throw new Fault(
    'pin_immutable',
    `the run is pinned to ${pinsText(before)} and cannot be moved to ${pinsText(after)}`,
  );
}

export function samePins(one: Pins, other: Pins): boolean {
  return one.pack_pin === other.pack_pin && one.snapshot_pin === other.snapshot_pin;
}

export const pinsText = ({ pack_pin, snapshot_pin }: Pins): string => `${pack_pin} and ${snapshot_pin}`;
