"""The tables of countries and currencies in use: ISO's codes, with English names, digits and symbols as in the CLDR."""

from __future__ import annotations

# The code of two letters, those of three (also retired ones of the same country), and the name.
COUNTRIES = """
AD AND Andorra | AE ARE United Arab Emirates | AF AFG Afghanistan | AG ATG Antigua & Barbuda | AI AIA Anguilla
AL ALB Albania | AM ARM Armenia | AO AGO Angola | AQ ATA Antarctica | AR ARG Argentina | AS ASM American Samoa
AT AUT Austria | AU AUS Australia | AW ABW Aruba | AX ALA Åland Islands | AZ AZE Azerbaijan
BA BIH Bosnia & Herzegovina | BB BRB Barbados | BD BGD Bangladesh | BE BEL Belgium | BF BFA Burkina Faso
BG BGR Bulgaria | BH BHR Bahrain | BI BDI Burundi | BJ BEN Benin | BL BLM St. Barthélemy | BM BMU Bermuda
BN BRN Brunei | BO BOL Bolivia | BQ BES Caribbean Netherlands | BR BRA Brazil | BS BHS Bahamas | BT BTN Bhutan
BV BVT Bouvet Island | BW BWA Botswana | BY BLR Belarus | BZ BLZ Belize | CA CAN Canada
CC CCK Cocos (Keeling) Islands | CD COD,ZAR Congo - Kinshasa | CF CAF Central African Republic
CG COG Congo - Brazzaville | CH CHE Switzerland | CI CIV Côte d’Ivoire | CK COK Cook Islands | CL CHL Chile
CM CMR Cameroon | CN CHN China | CO COL Colombia | CR CRI Costa Rica | CU CUB Cuba | CV CPV Cape Verde
CW ANT,CUW Curaçao | CX CXR Christmas Island | CY CYP Cyprus | CZ CZE Czechia | DE DDR,DEU Germany | DJ DJI Djibouti
DK DNK Denmark | DM DMA Dominica | DO DOM Dominican Republic | DZ DZA Algeria | EC ECU Ecuador | EE EST Estonia
EG EGY Egypt | EH ESH Western Sahara | ER ERI Eritrea | ES ESP Spain | ET ETH Ethiopia | FI FIN Finland | FJ FJI Fiji
FK FLK Falkland Islands | FM FSM Micronesia | FO FRO Faroe Islands | FR FRA,FXX France | GA GAB Gabon
GB GBR United Kingdom | GD GRD Grenada | GE GEO Georgia | GF GUF French Guiana | GG GGY Guernsey | GH GHA Ghana
GI GIB Gibraltar | GL GRL Greenland | GM GMB Gambia | GN GIN Guinea | GP GLP Guadeloupe | GQ GNQ Equatorial Guinea
GR GRC Greece | GS SGS South Georgia & South Sandwich Islands | GT GTM Guatemala | GU GUM Guam | GW GNB Guinea-Bissau
GY GUY Guyana | HK HKG Hong Kong SAR China | HM HMD Heard & McDonald Islands | HN HND Honduras | HR HRV Croatia
HT HTI Haiti | HU HUN Hungary | ID IDN Indonesia | IE IRL Ireland | IL ISR Israel | IM IMN Isle of Man | IN IND India
IO IOT British Indian Ocean Territory | IQ IRQ Iraq | IR IRN Iran | IS ISL Iceland | IT ITA Italy | JE JEY Jersey
JM JAM Jamaica | JO JOR Jordan | JP JPN Japan | KE KEN Kenya | KG KGZ Kyrgyzstan | KH KHM Cambodia | KI KIR Kiribati
KM COM Comoros | KN KNA St. Kitts & Nevis | KP PRK North Korea | KR KOR South Korea | KW KWT Kuwait
KY CYM Cayman Islands | KZ KAZ Kazakhstan | LA LAO Laos | LB LBN Lebanon | LC LCA St. Lucia | LI LIE Liechtenstein
LK LKA Sri Lanka | LR LBR Liberia | LS LSO Lesotho | LT LTU Lithuania | LU LUX Luxembourg | LV LVA Latvia
LY LBY Libya | MA MAR Morocco | MC MCO Monaco | MD MDA Moldova | ME MNE Montenegro | MF MAF St. Martin
MG MDG Madagascar | MH MHL Marshall Islands | MK MKD North Macedonia | ML MLI Mali | MM BUR,MMR Myanmar (Burma)
MN MNG Mongolia | MO MAC Macao SAR China | MP MNP Northern Mariana Islands | MQ MTQ Martinique | MR MRT Mauritania
MS MSR Montserrat | MT MLT Malta | MU MUS Mauritius | MV MDV Maldives | MW MWI Malawi | MX MEX Mexico | MY MYS Malaysia
MZ MOZ Mozambique | NA NAM Namibia | NC NCL New Caledonia | NE NER Niger | NF NFK Norfolk Island | NG NGA Nigeria
NI NIC Nicaragua | NL NLD Netherlands | NO NOR Norway | NP NPL Nepal | NR NRU Nauru | NU NIU Niue | NZ NZL New Zealand
OM OMN Oman | PA PAN Panama | PE PER Peru | PF PYF French Polynesia | PG PNG Papua New Guinea | PH PHL Philippines
PK PAK Pakistan | PL POL Poland | PM SPM St. Pierre & Miquelon | PN PCN Pitcairn Islands | PR PRI Puerto Rico
PS PSE Palestinian Territories | PT PRT Portugal | PW PLW Palau | PY PRY Paraguay | QA QAT Qatar | RE REU Réunion
RO ROU Romania | RS SCG,SRB,YUG Serbia | RU RUS,SUN Russia | RW RWA Rwanda | SA NTZ,SAU Saudi Arabia
SB SLB Solomon Islands | SC SYC Seychelles | SD SDN Sudan | SE SWE Sweden | SG SGP Singapore | SH SHN St. Helena
SI SVN Slovenia | SJ SJM Svalbard & Jan Mayen | SK SVK Slovakia | SL SLE Sierra Leone | SM SMR San Marino
SN SEN Senegal | SO SOM Somalia | SR SUR Suriname | SS SSD South Sudan | ST STP São Tomé & Príncipe
SV SLV El Salvador | SX SXM Sint Maarten | SY SYR Syria | SZ SWZ Eswatini | TC TCA Turks & Caicos Islands | TD TCD Chad
TF ATF French Southern Territories | TG TGO Togo | TH THA Thailand | TJ TJK Tajikistan | TK TKL Tokelau
TL TLS,TMP Timor-Leste | TM TKM Turkmenistan | TN TUN Tunisia | TO TON Tonga | TR TUR Türkiye
TT TTO Trinidad & Tobago | TV TUV Tuvalu | TW TWN Taiwan | TZ TZA Tanzania | UA UKR Ukraine | UG UGA Uganda
UM UMI U.S. Outlying Islands | US USA United States | UY URY Uruguay | UZ UZB Uzbekistan | VA VAT Vatican City
VC VCT St. Vincent & Grenadines | VE VEN Venezuela | VG VGB British Virgin Islands | VI VIR U.S. Virgin Islands
VN VNM Vietnam | VU VUT Vanuatu | WF WLF Wallis & Futuna | WS WSM Samoa | XK XKK Kosovo | YE YMD,YEM Yemen
YT MYT Mayotte | ZA ZAF South Africa | ZM ZMB Zambia | ZW ZWE Zimbabwe
"""

# The code, the digits after the point that people write, and the name.
CURRENCIES = """
AED 2 United Arab Emirates Dirham | AFN 0 Afghan Afghani | ALL 0 Albanian Lek | AMD 2 Armenian Dram
AOA 2 Angolan Kwanza | ARS 2 Argentine Peso | AUD 2 Australian Dollar | AWG 2 Aruban Florin | AZN 2 Azerbaijani Manat
BAM 2 Bosnia-Herzegovina Convertible Mark | BBD 2 Barbadian Dollar | BDT 2 Bangladeshi Taka | BGN 2 Bulgarian Lev
BHD 3 Bahraini Dinar | BIF 0 Burundian Franc | BMD 2 Bermudan Dollar | BND 2 Brunei Dollar | BOB 2 Bolivian Boliviano
BOV 2 Bolivian Mvdol | BRL 2 Brazilian Real | BSD 2 Bahamian Dollar | BTN 2 Bhutanese Ngultrum | BWP 2 Botswanan Pula
BYN 2 Belarusian Ruble | BZD 2 Belize Dollar | CAD 2 Canadian Dollar | CDF 2 Congolese Franc | CHE 2 WIR Euro
CHF 2 Swiss Franc | CHW 2 WIR Franc | CLF 4 Chilean Unit of Account (UF) | CLP 0 Chilean Peso | CNY 2 Chinese Yuan
COP 2 Colombian Peso | COU 2 Colombian Real Value Unit | CRC 2 Costa Rican Colón | CUP 2 Cuban Peso
CVE 2 Cape Verdean Escudo | CZK 2 Czech Koruna | DJF 0 Djiboutian Franc | DKK 2 Danish Krone | DOP 2 Dominican Peso
DZD 2 Algerian Dinar | EGP 2 Egyptian Pound | ERN 2 Eritrean Nakfa | ETB 2 Ethiopian Birr | EUR 2 Euro
FJD 2 Fijian Dollar | FKP 2 Falkland Islands Pound | GBP 2 British Pound | GEL 2 Georgian Lari | GHS 2 Ghanaian Cedi
GIP 2 Gibraltar Pound | GMD 2 Gambian Dalasi | GNF 0 Guinean Franc | GTQ 2 Guatemalan Quetzal | GYD 2 Guyanaese Dollar
HKD 2 Hong Kong Dollar | HNL 2 Honduran Lempira | HTG 2 Haitian Gourde | HUF 2 Hungarian Forint
IDR 2 Indonesian Rupiah | ILS 2 Israeli New Shekel | INR 2 Indian Rupee | IQD 0 Iraqi Dinar | IRR 0 Iranian Rial
ISK 0 Icelandic Króna | JMD 2 Jamaican Dollar | JOD 3 Jordanian Dinar | JPY 0 Japanese Yen | KES 2 Kenyan Shilling
KGS 2 Kyrgystani Som | KHR 2 Cambodian Riel | KMF 0 Comorian Franc | KPW 0 North Korean Won | KRW 0 South Korean Won
KWD 3 Kuwaiti Dinar | KYD 2 Cayman Islands Dollar | KZT 2 Kazakhstani Tenge | LAK 0 Laotian Kip | LBP 0 Lebanese Pound
LKR 2 Sri Lankan Rupee | LRD 2 Liberian Dollar | LSL 2 Lesotho Loti | LYD 3 Libyan Dinar | MAD 2 Moroccan Dirham
MDL 2 Moldovan Leu | MGA 0 Malagasy Ariary | MKD 2 Macedonian Denar | MMK 0 Myanmar Kyat | MNT 2 Mongolian Tugrik
MOP 2 Macanese Pataca | MRU 2 Mauritanian Ouguiya | MUR 2 Mauritian Rupee | MVR 2 Maldivian Rufiyaa
MWK 2 Malawian Kwacha | MXN 2 Mexican Peso | MXV 2 Mexican Investment Unit | MYR 2 Malaysian Ringgit
MZN 2 Mozambican Metical | NAD 2 Namibian Dollar | NGN 2 Nigerian Naira | NIO 2 Nicaraguan Córdoba
NOK 2 Norwegian Krone | NPR 2 Nepalese Rupee | NZD 2 New Zealand Dollar | OMR 3 Omani Rial | PAB 2 Panamanian Balboa
PEN 2 Peruvian Sol | PGK 2 Papua New Guinean Kina | PHP 2 Philippine Peso | PKR 2 Pakistani Rupee | PLN 2 Polish Zloty
PYG 0 Paraguayan Guarani | QAR 2 Qatari Riyal | RON 2 Romanian Leu | RSD 0 Serbian Dinar | RUB 2 Russian Ruble
RWF 0 Rwandan Franc | SAR 2 Saudi Riyal | SBD 2 Solomon Islands Dollar | SCR 2 Seychellois Rupee | SDG 2 Sudanese Pound
SEK 2 Swedish Krona | SGD 2 Singapore Dollar | SHP 2 St. Helena Pound | SLE 2 Sierra Leonean Leone
SOS 0 Somali Shilling | SRD 2 Surinamese Dollar | SSP 2 South Sudanese Pound | STN 2 São Tomé & Príncipe Dobra
SVC 2 Salvadoran Colón | SYP 0 Syrian Pound | SZL 2 Swazi Lilangeni | THB 2 Thai Baht | TJS 2 Tajikistani Somoni
TMT 2 Turkmenistani Manat | TND 3 Tunisian Dinar | TOP 2 Tongan Paʻanga | TRY 2 Turkish Lira
TTD 2 Trinidad & Tobago Dollar | TWD 2 New Taiwan Dollar | TZS 2 Tanzanian Shilling | UAH 2 Ukrainian Hryvnia
UGX 0 Ugandan Shilling | USD 2 US Dollar | USN 2 US Dollar (Next day) | UYI 0 Uruguayan Peso (Indexed Units)
UYU 2 Uruguayan Peso | UYW 4 Uruguayan Nominal Wage Index Unit | UZS 2 Uzbekistani Som | VED 2 Bolívar Soberano
VES 2 Venezuelan Bolívar | VND 0 Vietnamese Dong | VUV 0 Vanuatu Vatu | WST 2 Samoan Tala | XAD 2 XAD
XAF 0 Central African CFA Franc | XAG 2 Silver | XAU 2 Gold | XBA 2 European Composite Unit
XBB 2 European Monetary Unit | XBC 2 European Unit of Account (XBC) | XBD 2 European Unit of Account (XBD)
XCD 2 East Caribbean Dollar | XCG 2 Caribbean guilder | XDR 2 Special Drawing Rights | XOF 0 West African CFA Franc
XPD 2 Palladium | XPF 0 CFP Franc | XPT 2 Platinum | XSU 2 Sucre | XTS 2 Testing Currency Code
XUA 2 ADB Unit of Account | YER 0 Yemeni Rial | ZAR 2 South African Rand
ZMW 2 Zambian Kwacha | ZWG 2 Zimbabwean Gold
"""

# Of the others the code is the symbol.
SYMBOLS = {
    "AUD": "A$",
    "BRL": "R$",
    "CAD": "CA$",
    "CNY": "CN¥",
    "EUR": "€",
    "GBP": "£",
    "HKD": "HK$",
    "ILS": "₪",
    "INR": "₹",
    "JPY": "¥",
    "KRW": "₩",
    "MXN": "MX$",
    "NZD": "NZ$",
    "PHP": "₱",
    "TWD": "NT$",
    "USD": "$",
    "VND": "₫",
    "XAF": "FCFA",
    "XCD": "EC$",
    "XCG": "Cg.",
    "XOF": "F\u202fCFA",
    "XPF": "CFPF",
}
