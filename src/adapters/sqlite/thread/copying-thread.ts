/** The program of the thread that copies the log back into the file, each time it is told to, until it is told to end. */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { openDatabase } from '../open-database.ts';
import type { CopyOrders, CopyRequest } from './messages.ts';

const { file } = workerData as CopyOrders;
const port = parentPort as MessagePort;
const db = openDatabase(file, { timeout: 0 });
db.exec('pragma synchronous = full');

port.on('message', (request: CopyRequest) => {
  if (request === null) {
    db.close();
    port.close();
    return;
  }
  try {
    db.exec('pragma wal_checkpoint(passive)');
  } catch {
    // Nothing is lost that is in the log, and what hinders copying it is said by the next commit that needs the room.
  }
});
