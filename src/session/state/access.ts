import { Fault } from '../../model/fault.ts';
import { STATE_STORES, type StateCategory, type StateReader, type StateWrite } from '../../model/state-store.ts';

/** Refuses whoever may not read a store, by the rules that the store declares. */
export function assertMayRead(category: StateCategory, reader: StateReader): void {
  if (STATE_STORES[category].access[reader].read) return;
  throw new Fault('permission_denied', `${category} is not for a ${reader} to read`, { path: `/${category}` });
}

/** The one way in which a reader may write to a store; a fault where there is none. */
export function wayToWrite(category: StateCategory, reader: StateReader): Exclude<StateWrite, 'none'> {
  const { write } = STATE_STORES[category].access[reader];
  if (write !== 'none') return write;
  const { update_rule } = STATE_STORES[category];
  throw new Fault('state_write_refused', `a ${reader} writes nothing to ${category}: ${update_rule}`, {
    path: `/${category}`,
  });
}
