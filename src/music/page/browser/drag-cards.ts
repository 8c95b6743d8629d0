/**
 * Lets the pointer drag the children of a list into another order, each by its grip
 * (`<span data-grip hidden>`). Escape puts the dragged one back.
 * @param drop is called when a card was dropped at another place, counted from 1
 */
export function dragCards(
  list: HTMLElement,
  drop: (card: HTMLElement, position: number) => void,
): void {
  for (const grip of list.querySelectorAll<HTMLElement>("[data-grip]")) {
    const card = grip.closest<HTMLElement>("section");
    if (!card) continue;
    grip.hidden = false;
    // It stands in what folds the row.
    grip.addEventListener("click", (event) => event.preventDefault());
    grip.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      event.preventDefault();
      grip.setPointerCapture(event.pointerId);
      drag(list, grip, card, event.clientY, drop);
    });
  }
}

function drag(
  list: HTMLElement,
  grip: HTMLElement,
  card: HTMLElement,
  startY: number,
  drop: (card: HTMLElement, position: number) => void,
): void {
  const before = [...list.children];
  const grabbedAt = startY - card.getBoundingClientRect().top;
  const ending = new AbortController();
  const { signal } = ending;

  /** The cards move around the dragged one, which stays in its place: so the grip keeps the pointer. */
  const follow = ({ clientY }: PointerEvent) => {
    card.style.transform = "";
    const height = card.offsetHeight;
    const top = clientY - grabbedAt;
    const isAbove = (other: Element | null) => other !== null && top < middleOf(other);
    const isBelow = (other: Element | null) => other !== null && top + height > middleOf(other);
    while (isAbove(card.previousElementSibling)) card.after(card.previousElementSibling ?? "");
    while (isBelow(card.nextElementSibling)) card.before(card.nextElementSibling ?? "");
    card.style.transform = `translateY(${top - card.getBoundingClientRect().top}px)`;
  };
  const end = () => {
    ending.abort();
    card.classList.remove("dragged");
    card.style.transform = "";
  };
  const putBack = () => {
    end();
    list.append(...before);
  };

  card.classList.add("dragged");
  grip.addEventListener("pointermove", follow, { signal });
  grip.addEventListener("pointercancel", putBack, { signal });
  grip.addEventListener(
    "pointerup",
    () => {
      end();
      const place = [...list.children].indexOf(card);
      if (place !== before.indexOf(card)) drop(card, place + 1);
    },
    { signal },
  );
  window.addEventListener("keydown", ({ key }) => key === "Escape" && putBack(), { signal });
}

function middleOf(element: Element): number {
  const { top, height } = element.getBoundingClientRect();
  return top + height / 2;
}
