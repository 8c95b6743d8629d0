export const ID = "homeassistant";
export const NAME = "Home Assistant";

export interface HomeAssistantSettings {
  readonly url: string;
  readonly entity: string;
  readonly token: string;
}
