/** There is no session bus, or its connection ended. */
export class BusLost extends Error {
  override readonly name = "BusLost";
}
