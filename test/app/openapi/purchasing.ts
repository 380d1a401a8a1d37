import type { ApiClient, TestServer } from "../program.ts";
import { dayFrom, listOf, type Makes, named, readOf, sentFile } from "./ways.ts";

export const purchasing: Makes = async (served: TestServer) => {
  const requester = await served.person("Rita Requester");
  const head = await served.person("Hans Head");
  const finance = await served.person("Fiona Finance", ["finance"]);
  const buyer = await served.person("Bert Buyer", ["buyer"]);
  const receiver = await served.person("Rex Receiver", ["receiver"]);

  let count = 0;
  const departmentOf = (more: object = {}) => {
    const nth = ++count;
    return { name: `Department ${nth}`, cost_centre: `C${nth}`, head: head.id, budget: "90000", ...more };
  };
  const department = async (more: object = {}) => (await finance.post("/api/departments", departmentOf(more))).record();
  const sales = await department();
  const supplierOf = (more: object = {}) => {
    const nth = ++count;
    return { name: `Supplier ${nth}`, town: "Bremen", email: "orders@example.com", vat_number: `DE${nth}`, ...more };
  };
  const supplier = async (more: object = {}) => (await finance.post("/api/suppliers", supplierOf(more))).record();
  const brandt = await supplier({ iban: "DE02120300000000202051" });

  /** Ten pieces at a price above the limit for automatic approval. */
  const line = (more: object = {}) => ({ item: `Drill ${++count}`, quantity: "10", unit_price: "20.00", ...more });
  const request = (more: object = {}) => ({
    ...{ department: sales.id, purpose: "Drills", category: "tools_and_machines", lines: [line()] },
    ...more,
  });
  const draft = async (more: object = {}, by: ApiClient = requester) =>
    (await by.post("/api/requests", request(more))).record().id;
  const moved = async (id: string, ...moves: readonly (readonly [ApiClient, string, object?])[]) => {
    for (const [who, move, body] of moves) {
      const { status, text } = await who.post(`/api/requests/${id}/${move}`, body ?? {});
      if (status !== 200) throw new Error(`${move}: ${text}`);
    }
    return id;
  };
  const submitted = async (more: object = {}, by: ApiClient = requester) =>
    moved(await draft(more, by), [by, "submit"]);
  const approved = async () => moved(await submitted(), [head, "approve"]);
  const order = (more: object = {}) => ({ supplier: brandt.id, expected_on: dayFrom(5), ...more });
  const ordered = async () => moved(await approved(), [buyer, "order", order()]);
  const linesOf = async (id: string) =>
    (await requester.get(`/api/lines?request=${id}&sort=place`)).list().items.map((one) => one.id);
  const lineOf = async (id: string) => (await linesOf(id))[0] ?? "";
  const arrived = async (id: string, quantity: string) => {
    const answer = await receiver.post("/api/receipts", { line: await lineOf(id), quantity });
    return answer.record().id;
  };
  const partly = async () => {
    const id = await ordered();
    await arrived(id, "4");
    return id;
  };
  const scan = await sentFile(finance);
  const invoiceOf = (id: string, more: object = {}) => ({
    request: id,
    number: `R-${++count}`,
    amount: "50.00",
    ...more,
  });
  const invoice = async (more: object = {}) => {
    const body = { ...invoiceOf(await ordered(), more), scan: await sentFile(finance) };
    return (await finance.post("/api/invoices", body)).record().id;
  };
  const checked = async () => {
    const id = await invoice();
    await finance.post(`/api/invoices/${id}/check`);
    return id;
  };
  const reason = { reason: "It has to wait." };
  const dear = async (price = "300") => ({
    quotes: [await sentFile(requester), await sentFile(requester)],
    lines: [line({ unit_price: price })],
  });
  const settled = async () => moved(await partly(), [buyer, "close", reason]);

  // The head of another department is away, and a colleague stands in.
  const [away, colleague] = [await served.person("Anna Away"), await served.person("Cara Colleague")];
  const deputyOf = (more: object = {}) => ({
    ...{ deputy: colleague.id, first_day: dayFrom(1), last_day: dayFrom(5) },
    ...more,
  });
  const hand = async (by: ApiClient, more: object = {}) => (await by.post("/api/deputies", deputyOf(more))).record().id;
  const represented = await department({ head: away.id });
  await hand(away, { first_day: dayFrom(0) });
  const handed = async () => {
    const by = await served.person(named("Head", ++count));
    return { by, id: await hand(by) };
  };
  const often = await served.person("Otto Often");
  const otherDays = () => {
    const first = 10 * ++count;
    return { first_day: dayFrom(first), last_day: dayFrom(first + 5) };
  };
  const orderNumber = async () => (await buyer.get(`/api/requests/${await ordered()}`)).record().order_number as string;

  return {
    people: [requester, head, finance, buyer, receiver, away, colleague, often],
    done: {
      ...listOf("User", requester),
      ...readOf("User", requester, () => head.id),
      "User.update": () => ({ by: requester, id: requester.id, body: { name: "Rita Requester" } }),
      ...listOf("Department", requester),
      ...readOf("Department", finance, () => sales.id),
      "Department.create": () => ({ by: finance, body: departmentOf() }),
      "Department.update": async () => ({ by: finance, id: (await department()).id, body: { budget: "80000" } }),
      "Department.delete": async () => ({ by: finance, id: (await department()).id }),
      ...listOf("Supplier", requester),
      ...readOf("Supplier", finance, () => brandt.id),
      "Supplier.create": () => ({ by: finance, body: supplierOf() }),
      "Supplier.update": async () => ({ by: finance, id: (await supplier()).id, body: { town: "Kassel" } }),
      ...listOf("PurchaseRequest", requester),
      ...readOf("PurchaseRequest", requester, draft),
      "PurchaseRequest.create": () => ({ by: requester, body: request() }),
      "PurchaseRequest.update": async () => {
        const id = await draft();
        return {
          by: requester,
          id,
          body: { purpose: "Better drills", lines: [{ id: await lineOf(id), quantity: "9" }] },
        };
      },
      "PurchaseRequest.delete": async () => ({ by: requester, id: await draft() }),
      "PurchaseRequest.submit": async () => ({ by: requester, id: await draft() }),
      "PurchaseRequest.approve": async () => ({ by: head, id: await submitted() }),
      "PurchaseRequest.endorse": async () => ({ by: head, id: await submitted() }),
      "PurchaseRequest.release": async () => ({ by: finance, id: await moved(await submitted(), [head, "endorse"]) }),
      "PurchaseRequest.send_back": async () => ({ by: head, id: await submitted(), body: reason }),
      "PurchaseRequest.refuse": async () => ({ by: head, id: await submitted(), body: reason }),
      "PurchaseRequest.order": async () => ({ by: buyer, id: await approved(), body: order() }),
      "PurchaseRequest.withdraw": async () => ({ by: requester, id: await submitted() }),
      "PurchaseRequest.cancel": async () => ({ by: buyer, id: await ordered(), body: reason }),
      "PurchaseRequest.receive": async () => ({ by: receiver, id: await partly(), body: { delivery_note: "L-20418" } }),
      "PurchaseRequest.close": async () => ({ by: buyer, id: await partly(), body: reason }),
      ...listOf("Comment", requester),
      ...readOf("Comment", requester, async () => {
        const body = { request: await draft(), text: "Please ask for a second quote." };
        return (await requester.post("/api/comments", body)).record().id;
      }),
      "Comment.create": async () => ({ by: head, body: { request: await submitted(), text: "Which article is it?" } }),
      ...listOf("Line", requester),
      ...readOf("Line", requester, async () => lineOf(await draft())),
      "Line.create": async () => ({ by: requester, body: { request: await draft(), ...line() } }),
      "Line.update": async () => ({ by: requester, id: await lineOf(await draft()), body: { quantity: "8" } }),
      "Line.delete": async () => ({ by: requester, id: await lineOf(await draft()) }),
      ...listOf("Receipt", receiver),
      ...readOf("Receipt", receiver, async () => arrived(await ordered(), "1")),
      "Receipt.create": async () => ({ by: receiver, body: { line: await lineOf(await ordered()), quantity: "2" } }),
      "Receipt.update": async () => ({
        by: receiver,
        id: await arrived(await ordered(), "1"),
        body: { quantity: "2" },
      }),
      "Receipt.delete": async () => ({ by: receiver, id: await arrived(await ordered(), "1") }),
      ...listOf("Invoice", finance),
      ...readOf("Invoice", finance, () => invoice()),
      "Invoice.create": async () => ({
        by: finance,
        body: { ...invoiceOf(await ordered()), scan: await sentFile(finance) },
      }),
      "Invoice.update": async () => ({ by: finance, id: await invoice(), body: { amount: "60.00" } }),
      "Invoice.delete": async () => ({ by: finance, id: await invoice() }),
      "Invoice.check": async () => ({ by: finance, id: await invoice() }),
      "Invoice.object": async () => ({ by: finance, id: await invoice(), body: { objection: "Not so much." } }),
      "Invoice.pay": async () => {
        const id = await ordered();
        await arrived(id, "10");
        const body = { ...invoiceOf(id), scan: await sentFile(finance) };
        const paid = (await finance.post("/api/invoices", body)).record().id;
        await finance.post(`/api/invoices/${paid}/check`);
        return { by: finance, id: paid };
      },
      ...listOf("Deputy", often),
      ...readOf("Deputy", often, () => hand(often, otherDays())),
      "Deputy.create": () => ({ by: often, body: deputyOf(otherDays()) }),
      "Deputy.update": async () => ({ ...(await handed()), body: { last_day: dayFrom(4) } }),
      "Deputy.delete": handed,
      "GET /scanner/orders/{order_number}": async () => ({ by: receiver, id: await orderNumber() }),
      "POST /scanner/receipts": async () => ({
        by: receiver,
        body: { line: await lineOf(await ordered()), quantity: "2", delivery_note: "L-20417" },
      }),
    },
    refused: {
      "Department.create TAKEN": [
        () => ({ by: finance, body: departmentOf({ name: sales.name }) }),
        () => ({ by: finance, body: departmentOf({ cost_centre: sales.cost_centre }) }),
      ],
      "Department.update TAKEN": [
        async () => ({ by: finance, id: (await department()).id, body: { name: sales.name } }),
        async () => ({ by: finance, id: (await department()).id, body: { cost_centre: sales.cost_centre } }),
      ],
      "Department.delete IN_USE": async () => {
        await draft();
        return { by: finance, id: sales.id };
      },
      "Supplier.create TAKEN": [
        () => ({ by: finance, body: supplierOf({ name: brandt.name }) }),
        () => ({ by: finance, body: supplierOf({ vat_number: brandt.vat_number }) }),
        () => ({ by: finance, body: supplierOf({ iban: brandt.iban }) }),
      ],
      "Supplier.update TAKEN": [
        async () => ({ by: finance, id: (await supplier()).id, body: { name: brandt.name } }),
        async () => ({ by: finance, id: (await supplier()).id, body: { vat_number: brandt.vat_number } }),
        async () => ({ by: finance, id: (await supplier()).id, body: { iban: brandt.iban } }),
      ],
      "Supplier.create REQUIRED": () => ({ by: finance, body: supplierOf({ blocked: true }) }),
      "Supplier.update REQUIRED": async () => ({ by: finance, id: (await supplier()).id, body: { blocked: true } }),
      "Supplier.create NOT_AN_IBAN": () => ({ by: finance, body: supplierOf({ iban: "12" }) }),
      "Supplier.update NOT_AN_IBAN": async () => ({ by: finance, id: (await supplier()).id, body: { iban: "12" } }),
      // Readers of some fields of a request cannot comment on it.
      "Comment.create FORBIDDEN": async () => ({
        by: receiver,
        body: { request: await ordered(), text: "When does it come?" },
      }),
      "PurchaseRequest.create LINE_TWICE": () => ({
        by: requester,
        body: request({ lines: [line({ item: "The same" }), line({ item: "The same" })] }),
      }),
      "PurchaseRequest.create UNKNOWN_FIELD": () => ({
        by: requester,
        body: request({ lines: [line({ surprise: 1 })] }),
      }),
      "PurchaseRequest.create NOT_YOURS_TO_WRITE": [
        () => ({ by: requester, body: request({ lines: [line({ net: "5" })] }) }),
        () => ({ by: requester, body: request({ lines: [{ id: crypto.randomUUID(), net: "5" }] }) }),
      ],
      "PurchaseRequest.update LINE_TWICE": async () => ({
        by: requester,
        id: await draft(),
        body: { lines: [line({ item: "The same" }), line({ item: "The same" })] },
      }),
      "PurchaseRequest.update UNKNOWN_FIELD": async () => ({
        by: requester,
        id: await draft(),
        body: { lines: [line({ surprise: 1 })] },
      }),
      "PurchaseRequest.update NOT_YOURS_TO_WRITE": [
        async () => ({ by: requester, id: await draft(), body: { lines: [line({ net: "5" })] } }),
        async () => {
          const id = await draft();
          return { by: requester, id, body: { lines: [{ id: await lineOf(id), net: "5" }] } };
        },
      ],
      "PurchaseRequest.update PART_TWICE": async () => {
        const id = await draft();
        const own = await lineOf(id);
        return { by: requester, id, body: { lines: [{ id: own }, { id: own }] } };
      },
      "PurchaseRequest.update FORBIDDEN": async () => ({
        by: requester,
        id: await submitted(),
        body: { purpose: "More" },
      }),
      "PurchaseRequest.update WRONG_TYPE": async () => ({
        by: buyer,
        id: await ordered(),
        body: { expected_on: "soon" },
      }),
      "PurchaseRequest.update EXPECTED_BEFORE_ORDERED": async () => ({
        by: buyer,
        id: await ordered(),
        body: { expected_on: dayFrom(-5) },
      }),
      "PurchaseRequest.delete FORBIDDEN": async () => ({ by: requester, id: await submitted() }),
      "PurchaseRequest.create NEEDED_IN_THE_PAST": () => ({
        by: requester,
        body: request({ needed_by: dayFrom(-1) }),
      }),
      "PurchaseRequest.submit NEEDED_IN_THE_PAST": async () => {
        const id = await draft();
        await requester.patch(`/api/requests/${id}`, { needed_by: dayFrom(-1) });
        return { by: requester, id };
      },
      "PurchaseRequest.submit NO_LINES": async () => ({ by: requester, id: await draft({ lines: [] }) }),
      "PurchaseRequest.submit QUOTES_MISSING": async () => ({
        by: requester,
        id: await draft({ lines: [line({ unit_price: "300" })] }),
      }),
      "PurchaseRequest.submit FORBIDDEN": async () => ({ by: head, id: await submitted() }),
      // Nobody decides on their own request, not even as the deputy of the head.
      "PurchaseRequest.approve GUARD": async () => ({
        by: colleague,
        id: await submitted({ department: represented.id }, colleague),
      }),
      "PurchaseRequest.endorse GUARD": async () => ({
        by: colleague,
        id: await submitted({ department: represented.id }, colleague),
      }),
      "PurchaseRequest.approve ABOVE_HEAD_LIMIT": async () => ({ by: head, id: await submitted(await dear()) }),
      "PurchaseRequest.approve BUDGET_SPENT": async () => ({
        by: head,
        id: await submitted({ department: (await department({ budget: "100" })).id }),
      }),
      // Nobody approves their own request for finance, nor the largest ones alone.
      "PurchaseRequest.release GUARD": async () => ({
        by: finance,
        id: await moved(await submitted({}, finance), [head, "endorse"]),
      }),
      "PurchaseRequest.release NEEDS_ANOTHER_PERSON": async () => ({
        by: finance,
        id: await moved(await submitted(await dear("3000")), [head, "endorse"], [finance, "release"]),
      }),
      "PurchaseRequest.send_back WRONG_STATE": async () => ({ by: head, id: await approved(), body: reason }),
      "PurchaseRequest.order NOT_AMONG": async () => ({
        by: buyer,
        id: await approved(),
        body: order({ supplier: (await supplier({ blocked: true, block_reason: "Late three times." })).id }),
      }),
      "PurchaseRequest.order EXPECTED_BEFORE_ORDERED": async () => ({
        by: buyer,
        id: await approved(),
        body: order({ expected_on: dayFrom(-5) }),
      }),
      "PurchaseRequest.cancel GUARD": async () => ({ by: buyer, id: await partly(), body: reason }),
      "PurchaseRequest.receive WRONG_STATE": async () => ({ by: receiver, id: await settled() }),
      "PurchaseRequest.receive GUARD": async () => {
        const id = await ordered();
        await arrived(id, "10");
        return { by: receiver, id };
      },
      "PurchaseRequest.close GUARD": async () => ({ by: buyer, id: await ordered(), body: reason }),
      "Line.create FORBIDDEN": async () => ({ by: requester, body: { request: await submitted(), ...line() } }),
      "Line.create LINE_TWICE": async () => {
        const id = await draft({ lines: [line({ item: "The same" })] });
        return { by: requester, body: { request: id, ...line({ item: "The same" }) } };
      },
      "Line.update FORBIDDEN": async () => ({
        by: requester,
        id: await lineOf(await submitted()),
        body: { quantity: "8" },
      }),
      "Line.update LINE_TWICE": async () => {
        const id = await draft({ lines: [line({ item: "The same" }), line()] });
        return { by: requester, id: (await linesOf(id))[1] ?? "", body: { item: "The same" } };
      },
      "Line.delete FORBIDDEN": async () => ({ by: requester, id: await lineOf(await submitted()) }),
      "Receipt.create FORBIDDEN": async () => ({
        by: receiver,
        body: { line: await lineOf(await settled()), quantity: "1" },
      }),
      "Receipt.create NOT_AMONG": async () => {
        const id = await ordered();
        await arrived(id, "10");
        return { by: receiver, body: { line: await lineOf(id), quantity: "1" } };
      },
      "Receipt.create MORE_THAN_ORDERED": async () => ({
        by: receiver,
        body: { line: await lineOf(await ordered()), quantity: "11" },
      }),
      "Receipt.create ARRIVES_LATER": async () => ({
        by: receiver,
        body: { line: await lineOf(await ordered()), quantity: "1", arrived_on: dayFrom(3) },
      }),
      "Receipt.update MORE_THAN_ORDERED": async () => ({
        by: receiver,
        id: await arrived(await ordered(), "1"),
        body: { quantity: "11" },
      }),
      "Invoice.create FORBIDDEN": async () => ({ by: finance, body: { ...invoiceOf(await approved()), scan } }),
      "Invoice.create BILLED_TOO_MUCH": async () => ({
        by: finance,
        body: { ...invoiceOf(await ordered(), { amount: "5000" }), scan: await sentFile(finance) },
      }),
      "Invoice.create INVOICE_TWICE": async () => {
        await invoice({ number: "4711" });
        return {
          by: finance,
          body: { ...invoiceOf(await ordered(), { number: "4711" }), scan: await sentFile(finance) },
        };
      },
      "Invoice.create DATED_LATER": async () => ({
        by: finance,
        body: { ...invoiceOf(await ordered(), { dated: dayFrom(3) }), scan: await sentFile(finance) },
      }),
      "Invoice.update INVOICE_TWICE": async () => {
        await invoice({ number: "4712" });
        return { by: finance, id: await invoice(), body: { number: "4712" } };
      },
      "Invoice.update DATED_LATER": async () => ({ by: finance, id: await invoice(), body: { dated: dayFrom(3) } }),
      "Invoice.update FORBIDDEN": async () => ({ by: finance, id: await checked(), body: { amount: "60.00" } }),
      "Invoice.delete FORBIDDEN": async () => ({ by: finance, id: await checked() }),
      "Invoice.check BILLED_TOO_MUCH": async () => {
        const id = await invoice();
        await finance.patch(`/api/invoices/${id}`, { amount: "5000" });
        return { by: finance, id };
      },
      "Invoice.pay NOT_ARRIVED": async () => ({ by: finance, id: await checked() }),
      "Deputy.create DEPUTY_ONESELF": () => ({ by: often, body: deputyOf({ deputy: often.id }) }),
      "Deputy.create DEPUTY_DATES": () => ({ by: often, body: deputyOf({ last_day: dayFrom(0) }) }),
      "Deputy.create DEPUTY_TOO_LONG": () => ({ by: often, body: deputyOf({ last_day: dayFrom(61) }) }),
      "Deputy.create DEPUTY_TWICE": () => ({ by: away, body: deputyOf() }),
      "Deputy.update DEPUTY_TWICE": async () => {
        const { by, id } = await handed();
        await hand(by, { first_day: dayFrom(10), last_day: dayFrom(12) });
        return { by, id, body: { last_day: dayFrom(11) } };
      },
      "Deputy.update DEPUTY_DATES": async () => ({ ...(await handed()), body: { last_day: dayFrom(0) } }),
      "Deputy.update DEPUTY_TOO_LONG": async () => ({ ...(await handed()), body: { last_day: dayFrom(61) } }),
      "POST /scanner/receipts NOT_AMONG": async () => {
        const id = await ordered();
        await arrived(id, "10");
        return { by: receiver, body: { line: await lineOf(id), quantity: "1" } };
      },
      "POST /scanner/receipts MORE_THAN_ORDERED": async () => ({
        by: receiver,
        body: { line: await lineOf(await ordered()), quantity: "11" },
      }),
      "POST /scanner/receipts FORBIDDEN": async () => ({
        by: receiver,
        body: { line: await lineOf(await settled()), quantity: "1" },
      }),
    },
  };
};
