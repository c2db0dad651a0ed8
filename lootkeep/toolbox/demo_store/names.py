"""Names from many countries: in their own script, and in Latin letters for the mailbox."""

from __future__ import annotations

from typing import NamedTuple


class CountryProfile(NamedTuple):
    """Where buyers live; the weight is their share."""

    code: str
    city: str
    weight: int
    # Which of the lists of names below.
    tongue: str


# First names and family names; a name in another script has its Latin form after a slash.
_ENGLISH = (
    "Ava Liam Noah Emma Oliver Grace Ethan Chloe Mason Ruby Caleb Hazel Owen Ivy Wyatt Nora Felix Maya Jude Tessa",
    "Carter Brooks Hayes Turner Walsh Bennett Foster Reid Palmer Sutton Barnes Doyle Fletcher Griffin Marsh Quinn",
)
_TONGUES: dict[str, tuple[str, str]] = {
    "english": _ENGLISH,
    "german": (
        "Lukas Mia Jonas Lena Finn Hannah Jörg/joerg Käthe/kaethe Moritz Greta Paul Frieda Emil Lotte",
        "Schäfer/schaefer Vogel Krüger/krueger Brandt Lorenz Keller Weiß/weiss Bauer Seidel Winter Otto Lang",
    ),
    "french": (
        "Léa/lea Hugo Chloé/chloe Louis Zoé/zoe Jules Inès/ines Théo/theo Manon Raphaël/raphael Noémie/noemie",
        "Lefèvre/lefevre Moreau Girard Rousseau Blanc Fournier Mercier Dupuis Renaud Marchand Colin Gauthier",
    ),
    "spanish": (
        "Lucía/lucia Mateo Sofía/sofia Diego Valentina Joaquín/joaquin Camila Andrés/andres Ximena Tomás/tomas Elena",
        "Núñez/nunez Herrera Ibáñez/ibanez Vargas Peña/pena Rojas Castillo Méndez/mendez Fuentes Salazar Ortega",
    ),
    "portuguese": (
        "João/joao Beatriz Thiago Larissa Vinícius/vinicius Letícia/leticia Caio Heloísa/heloisa Davi Marina",
        "Gonçalves/goncalves Araújo/araujo Barros Teixeira Conceição/conceicao Moura Freitas Pires Nogueira Sampaio",
    ),
    "polish": (
        "Zofia Jakub Łukasz/lukasz Małgorzata/malgorzata Wojciech Kinga Paweł/pawel Agnieszka Michał/michal Ewa",
        "Wójcik/wojcik Kamińska/kaminska Zając/zajac Wróbel/wrobel Mazur Sikora Dąbrowska/dabrowska Pawlak",
    ),
    "turkish": (
        "Elif Mehmet Zeynep Çağlar/caglar Ayşe/ayse Emre Gülşah/gulsah Onur İrem/irem Deniz Tuğba/tugba Kaan",
        "Yılmaz/yilmaz Şahin/sahin Öztürk/ozturk Aydın/aydin Koç/koc Doğan/dogan Kılıç/kilic Çetin/cetin Polat Erdem",
    ),
    "ukrainian": (
        "Оксана/oksana Тарас/taras Соломія/solomiia Андрій/andrii Марія/mariia Богдан/bohdan Дарина/daryna Ігор/ihor",
        "Шевчук/shevchuk Коваль/koval Бондар/bondar Мельник/melnyk Лисенко/lysenko Гончар/honchar Кравець/kravets",
    ),
    "greek": (
        "Ελένη/eleni Νίκος/nikos Μαρία/maria Γιώργος/giorgos Κατερίνα/katerina Δημήτρης/dimitris Άννα/anna",
        "Παππάς/pappas Νικολάου/nikolaou Βλάχος/vlachos Γεωργίου/georgiou Μακρής/makris Ιωάννου/ioannou",
    ),
    "arabic": (
        "ليلى/layla يوسف/youssef مريم/mariam عمر/omar نور/nour كريم/karim سلمى/salma طارق/tarek هدى/hoda زياد/ziad",
        "حداد/haddad منصور/mansour فارس/fares نجار/najjar سليمان/suleiman خوري/khoury عثمان/othman صالح/saleh",
    ),
    "hindi": (
        "आरव/aarav प्रिया/priya रोहन/rohan अनन्या/ananya विक्रम/vikram नेहा/neha अर्जुन/arjun काव्या/kavya ईशान/ishaan",
        "शर्मा/sharma पटेल/patel गुप्ता/gupta नायर/nair वर्मा/verma मेहता/mehta रेड्डी/reddy जोशी/joshi कपूर/kapoor",
    ),
    "japanese": (
        "陽菜/hina 蓮/ren 結衣/yui 大翔/hiroto 葵/aoi 湊/minato 凛/rin 悠斗/yuto さくら/sakura 樹/itsuki",
        "佐藤/sato 鈴木/suzuki 高橋/takahashi 田中/tanaka 渡辺/watanabe 中村/nakamura 小林/kobayashi 山本/yamamoto",
    ),
    "korean": (
        "서연/seoyeon 민준/minjun 지우/jiwoo 하준/hajun 수아/sua 도윤/doyun 지민/jimin 예준/yejun 하은/haeun",
        "김/kim 이/lee 박/park 최/choi 정/jung 강/kang 조/cho 윤/yoon 장/jang 임/lim",
    ),
    "chinese": (
        "欣怡/xinyi 浩然/haoran 子涵/zihan 宇航/yuhang 思琪/siqi 俊杰/junjie 雨桐/yutong 明轩/mingxuan 佳慧/jiahui",
        "王/wang 李/li 张/zhang 刘/liu 陈/chen 杨/yang 黄/huang 赵/zhao 吴/wu 林/lin",
    ),
    "yoruba": (
        "Adébáyọ̀/adebayo Fọlákẹ́/folake Olúwaseun/oluwaseun Títílayọ̀/titilayo Ngozi Chinedu Amara Emeka Zainab Kelechi",
        "Ọkọ̀nkwọ/okonkwo Adéyẹmí/adeyemi Balogun Eze Ibrahim Nwosu Ògúnlẹ́yẹ/ogunleye Lawal Obi Danjuma",
    ),
    "afrikaans": (
        "Thandi Pieter Lerato Johan Naledi Riaan Zanele Elmarie Sipho Anika Bongani Marié/marie",
        "Nkosi Botha Dlamini Steyn Mokoena Viljoen Khumalo Fourie Ndlovu Naudé/naude Sithole Kruger",
    ),
}

COUNTRIES = (
    CountryProfile("US", "Denver", 20, "english"),
    CountryProfile("CA", "Toronto", 6, "english"),
    CountryProfile("MX", "Puebla", 4, "spanish"),
    CountryProfile("BR", "Recife", 7, "portuguese"),
    CountryProfile("AR", "Rosario", 3, "spanish"),
    CountryProfile("CL", "Valparaíso", 2, "spanish"),
    CountryProfile("GB", "Leeds", 8, "english"),
    CountryProfile("DE", "Leipzig", 8, "german"),
    CountryProfile("FR", "Nantes", 6, "french"),
    CountryProfile("ES", "Valencia", 4, "spanish"),
    CountryProfile("PL", "Gdańsk", 5, "polish"),
    CountryProfile("UA", "Lviv", 3, "ukrainian"),
    CountryProfile("GR", "Patras", 2, "greek"),
    CountryProfile("TR", "Izmir", 4, "turkish"),
    CountryProfile("EG", "Giza", 2, "arabic"),
    CountryProfile("AE", "Sharjah", 2, "arabic"),
    CountryProfile("IN", "Pune", 5, "hindi"),
    CountryProfile("JP", "Osaka", 6, "japanese"),
    CountryProfile("KR", "Busan", 4, "korean"),
    CountryProfile("TW", "Tainan", 3, "chinese"),
    CountryProfile("SG", "Singapore", 2, "chinese"),
    CountryProfile("NG", "Ibadan", 3, "yoruba"),
    CountryProfile("ZA", "Durban", 2, "afrikaans"),
    CountryProfile("AU", "Hobart", 4, "english"),
)


class PersonName(NamedTuple):
    native: str
    latin: str


def _parsed(words: str) -> tuple[PersonName, ...]:
    pairs = (word.partition("/") for word in words.split())
    return tuple(PersonName(native, latin or native.lower()) for native, _, latin in pairs)


FIRST = {tongue: _parsed(first) for tongue, (first, _) in _TONGUES.items()}
FAMILY = {tongue: _parsed(family) for tongue, (_, family) in _TONGUES.items()}
# The family name comes first there.
FAMILY_FIRST = frozenset({"japanese", "korean", "chinese"})
